package exec

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// byDefault is what a shell script is given to.
var byDefault = []string{"/bin/sh", "-c"}

// needs are the grants of a command: its program, or its interpreter; or the
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

// program is the node that names the program, or nil where there is none, which
// is reported.
func program(s actions.Static) *spec.Node {
	node := s.Nodes["command"]
	if node == nil {
		if node = s.Nodes["interpreter"]; node == nil {
			out := &spec.Node{Kind: spec.StringNode, Text: byDefault[0]}
			if script := s.Nodes["shell"]; script != nil {
				out.Range = script.Range
			}
			return out
		}
	}
	switch {
	case node.Kind == spec.ListNode && len(node.Items) > 0 && node.Items[0].Kind == spec.StringNode:
		return node.Items[0]
	case node.Kind == spec.StringNode && strings.Contains(node.Text, "${"):
		return node // it yields the list
	}
	return nil
}
