package unlikely

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// checkLocks reports a step that writes what an earlier step has read, if both have the same lock:
// between them nobody has it.
func checkLocks(found *finding.Collector, op *plan.Operation, verb string) {
	if op == nil || op.Lock != nil {
		return
	}
	for i, s := range op.Steps {
		if s.Effect != actions.Write || !isFixed(s.Lock) {
			continue
		}
		earlier := slices.IndexFunc(op.Steps[:i], func(e *plan.Step) bool {
			return isFixed(e.Lock) && e.Model.Lock.Text == s.Model.Lock.Text && op.RelyOn(map[int]bool{e.Index: true})[i]
		})
		if earlier < 0 {
			continue
		}
		found.Warn(finding.CodeLockReleased, s.Model.Lock.Range, fmt.Sprintf("%s.steps[%d].lock", verb, i),
			fmt.Sprintf("the lock is released between %s and %s, which uses its result", op.Steps[earlier].Name, s.Name),
			"Another operation may change what was read before this step writes it, and that change would be lost. Move `lock` next to `steps`: it is then held from the first step to the last.")
	}
}

// isFixed reports whether a lock is the same for all steps of an operation.
func isFixed(lock *expr.Value) bool {
	return lock != nil && !slices.ContainsFunc(lock.Refs(), func(ref expr.Ref) bool {
		return !slices.Contains([]string{"inputs", "config", "session", "state", "id", "resource"}, ref.Path[0])
	})
}
