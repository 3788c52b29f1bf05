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
// delete.
func (c *checker) checkConditions(op *plan.Operation, verb string) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		if s.IfAbsent == "" || s.Effect != actions.Write {
			continue
		}
		if !s.Makes || hasTargetOf(s, c.r.Read) || hasTargetOf(s, c.r.Delete) {
			c.Warn(finding.CodeAlwaysRefused, s.Args[s.IfAbsent].Node.Range, verb+"."+s.IfAbsent, fmt.Sprintf("%s does this only if the object does not exist, but it does", verb),
				fmt.Sprintf("The step is always refused. Use `%s` in create only.", s.IfAbsent))
		}
	}
}

// hasTargetOf reports whether a step has the same target, as written, as a step of an operation.
func hasTargetOf(s *plan.Step, op *plan.Operation) bool {
	return s.Place != "" && op != nil && slices.ContainsFunc(op.Steps, func(other *plan.Step) bool {
		return other != s && other.Place == s.Place
	})
}
