package finding

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
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
