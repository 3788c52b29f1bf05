package finding

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/foreign"
)

// CheckInputPath reports a property path, such as rules[0].port, that leads to no input of its
// owner.
func (c *Collector) CheckInputPath(owner string, inputs *spec.Type, types spec.Types, n *spec.Node, path string) {
	if IsReported(n) {
		return
	}
	at := inputs
	for name := range strings.FieldsFuncSeq(n.Text, func(ch rune) bool { return ch == '.' || ch == '[' || ch == ']' }) {
		at = types.Resolve(at)
		switch p := at.Field(name); {
		case p != nil:
			at = p.Type
		case at.Kind == spec.Object && !at.Open:
			if own, ok := foreign.Path(n.Text, "inputs", "state", "changes"); ok && at == types.Resolve(inputs) && at.Field(firstName(own)) != nil {
				c.Fail(CodeUnknownProperty, n.Range, path, fmt.Sprintf("no input %q", n.Text), fmt.Sprintf("Write the name of the input, without an expression: %q.", own)).Replace(n.Text, own)
				return
			}
			c.Fail(CodeUnknownProperty, n.Range, path, fmt.Sprintf("no input %q", n.Text),
				fmt.Sprintf("%s has no input %q there.", owner, name)).Meant(name, at.FieldNames())
			return
		case at.Kind == spec.Union || at.Kind == spec.Any:
			return // only a value shows what members it has
		default:
			at = at.Elem
		}
	}
}

// firstName returns the first name of a property path.
func firstName(path string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	return name
}
