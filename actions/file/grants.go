package file

import (
	"path"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// familyGrants returns the grants of a spec without a permissions block: writing, and so
// reading, below the root in its block of defaults. Without a root there are none.
func familyGrants(s actions.Static) []actions.Grant {
	node := s.Nodes["root"]
	if node == nil || node.Kind != spec.StringNode {
		return nil
	}
	tree := patternBelow(quotePattern(node, s.Literals["root"]))
	return []actions.Grant{{Access: grant.Write, Pattern: tree}}
}

// argumentGrants returns the grants of a call that accesses the path in the argument.
func argumentGrants(s actions.Static, access grant.Access, argument string) []actions.Grant {
	pattern := pathPattern(s, argument)
	if pattern == nil {
		return nil
	}
	return []actions.Grant{grantFor(s, access, pattern, argument)}
}

// grantFor returns the grant that a step needs for the path in the argument.
func grantFor(s actions.Static, access grant.Access, pattern *spec.Node, argument string) actions.Grant {
	g := actions.Grant{Access: access, Pattern: pattern, Name: s.Nodes[argument]}
	if root := s.Nodes["root"]; root != nil && root.Kind == spec.StringNode {
		g.Root = root
	}
	return g
}

// pathPattern returns the path in the argument, relative to the root, as a pattern.
func pathPattern(s actions.Static, argument string) *spec.Node {
	node, rootNode := s.Nodes[argument], s.Nodes["root"]
	if node == nil || node.Kind != spec.StringNode {
		return nil
	}
	at := quotePattern(node, s.Literals[argument])
	if rootNode == nil || rootNode.Kind != spec.StringNode || path.IsAbs(node.Text) {
		return at
	}
	return joinPatterns(quotePattern(rootNode, s.Literals["root"]), at)
}

// quotePattern returns a literal as a pattern that only matches itself. The compiler quotes
// the values in templates.
func quotePattern(n *spec.Node, literal any) *spec.Node {
	text, ok := literal.(string)
	if !ok || grant.QuoteGlob(text) == text {
		return n
	}
	return &spec.Node{Kind: spec.StringNode, Text: grant.QuoteGlob(text), Range: n.Range}
}

// patternBelow returns the pattern of all below the path of a node, at the node's position.
func patternBelow(n *spec.Node) *spec.Node {
	out := *n
	out.Text = strings.TrimRight(n.Text, "/") + "/**"
	return &out
}

// joinPatterns returns the template root/at. Its parts keep their positions.
func joinPatterns(root, at *spec.Node) *spec.Node {
	text := strings.TrimRight(root.Text, "/") + "/"
	out := &spec.Node{Kind: spec.StringNode, Text: text + at.Text, Range: at.Range}
	if root.Range.File != at.Range.File || len(at.Marks) == 0 || len(root.Marks) == 0 {
		return out
	}
	out.Marks = append(out.Marks, root.Marks...)
	for _, m := range at.Marks {
		m.Offset += len([]rune(text))
		out.Marks = append(out.Marks, m)
	}
	return out
}
