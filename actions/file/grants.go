package file

import (
	"path"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// familyGrants are those of a spec without a permissions block: the tree under
// the root that it names, to write and so to read. One that names none has none.
func familyGrants(s actions.Static) []actions.Grant {
	node := s.Nodes["root"]
	if node == nil || node.Kind != spec.StringNode {
		return nil
	}
	tree := under(quoted(node, s.Literals["root"]), "**")
	return []actions.Grant{{Access: grant.Write, Pattern: tree}}
}

// needs are the grants of a run that accesses the path in the argument.
func needs(s actions.Static, access grant.Access, argument string) []actions.Grant {
	pattern := located(s, argument)
	if pattern == nil {
		return nil
	}
	return []actions.Grant{asking(s, access, pattern, argument)}
}

// asking is the grant that a step needs for the path in the argument.
func asking(s actions.Static, access grant.Access, pattern *spec.Node, argument string) actions.Grant {
	g := actions.Grant{Access: access, Pattern: pattern, Name: s.Nodes[argument]}
	if root := s.Nodes["root"]; root != nil && root.Kind == spec.StringNode {
		g.Root = root
	}
	return g
}

// located is the path in the argument below the root, as a pattern.
func located(s actions.Static, argument string) *spec.Node {
	node, rootNode := s.Nodes[argument], s.Nodes["root"]
	if node == nil || node.Kind != spec.StringNode {
		return nil
	}
	at := quoted(node, s.Literals[argument])
	if rootNode == nil || rootNode.Kind != spec.StringNode || path.IsAbs(node.Text) {
		return at
	}
	return joined(quoted(rootNode, s.Literals["root"]), at)
}

// quoted is the text as a pattern for itself. In a template, the values are for
// the compiler to quote.
func quoted(n *spec.Node, literal any) *spec.Node {
	text, ok := literal.(string)
	if !ok || grant.QuoteGlob(text) == text {
		return n
	}
	return &spec.Node{Kind: spec.StringNode, Text: grant.QuoteGlob(text), Range: n.Range}
}

// under is the pattern below a node's, with the node's place.
func under(n *spec.Node, pattern string) *spec.Node {
	out := *n
	out.Text = strings.TrimRight(n.Text, "/") + "/" + pattern
	return &out
}

// joined is the template of the one below the other. Each keeps its place.
func joined(root, at *spec.Node) *spec.Node {
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
