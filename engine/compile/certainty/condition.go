package certainty

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
)

// checkConditions warns about a step that succeeds only if the object does not exist, where it
// exists: in a step that changes or removes one, and in one with the target of a step of read or
// delete, unless an earlier step has removed it.
func (c *checker) checkConditions(op *plan.Operation, verb string) {
	if op == nil {
		return
	}
	for i, s := range op.Steps {
		if s.IfAbsent == "" || s.Effect != actions.Write || s.When != nil || s.Makes && !c.hasTargetOf(s, c.r.Read) && !c.hasTargetOf(s, c.r.Delete) {
			continue
		}
		if slices.ContainsFunc(op.Steps[:i], func(e *plan.Step) bool { return e.Effect == actions.Write && c.placeOf(e) == c.placeOf(s) }) {
			continue
		}
		at, remedy := s.At, fmt.Sprintf("Add `%s: true`.", s.IfAbsent)
		if a, given := s.Args[s.IfAbsent]; given && a.Node != nil {
			at, remedy = a.Node.Range, fmt.Sprintf("Use `%s: %s` in create only.", s.IfAbsent, a.Node.Text)
		}
		c.Warn(finding.CodeAlwaysRefused, at, verb, fmt.Sprintf("%s does this only if the object does not exist, but it does", verb), "The step is always refused. "+remedy)
	}
}

// hasTargetOf reports whether a step has the same target, as written, as a step of an operation.
func (c *checker) hasTargetOf(s *plan.Step, op *plan.Operation) bool {
	return s.Place != "" && op != nil && slices.ContainsFunc(op.Steps, func(other *plan.Step) bool {
		return other != s && c.placeOf(other) == c.placeOf(s)
	})
}
