package exec

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// defaultInterpreter runs a shell script by default.
var defaultInterpreter = []string{"/bin/sh", "-c"}

// needs returns the grants that a command requires: its program, its interpreter, or the
// machine where it runs.
func needs(s actions.Static) []actions.Grant {
	if s.Given("ssh") {
		return sshGrants(s.Nodes["ssh"])
	}
	if n := program(s); n != nil {
		return []actions.Grant{{Access: grant.Run, Pattern: n}}
	}
	return nil
}

// program returns the node that names the program. If there is none, it returns nil; check
// reports that.
func program(s actions.Static) *spec.Node {
	node := s.Nodes["command"]
	if node == nil {
		if node = s.Nodes["interpreter"]; node == nil {
			out := &spec.Node{Kind: spec.StringNode, Text: defaultInterpreter[0]}
			if script := s.Nodes["shell"]; script != nil {
				out.Range = script.Range
			}
			return out
		}
	}
	switch {
	case node.Kind == spec.ListNode && len(node.Items) > 0 && node.Items[0].Kind == spec.StringNode:
		return node.Items[0]
	case node.Kind == spec.StringNode && template.IsTemplate(node.Text):
		return node // it yields the list
	}
	return nil
}
