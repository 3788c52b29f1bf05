package certainty

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
)

// checkStuck warns about steps that judge by `fail` what an earlier step has started. Once that has failed, each later
// run resumes at such a step, asks for the same failed operation, and fails again, even after the cause was removed.
// A delete is not concerned: it starts from its first step.
func (c *checker) checkStuck(op *plan.Operation, verb plan.Verb) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		if s.Fail == nil || s.Model.Fail == nil || s.Effect == actions.Write || s.Model.Restart != "" {
			continue
		}
		started := startedBy(op, s)
		if started == nil || len(started.Undo) > 0 {
			continue
		}
		name := started.Model.As
		remedy := fmt.Sprintf("Add `restart: %q`.", name)
		remakes := verb == plan.Create && started.Certainty != actions.Safe
		switch {
		case remakes:
			remedy = fmt.Sprintf("Add `onFailure` to the step %q, with steps that remove what it has made: then the next run starts with that step again. Or add `restart: %q` here, if it may run twice.", name, name)
		case !started.Certainty.Repeatable():
			remedy += fmt.Sprintf(" If repeating the step %q does no harm, also add `idempotent: true` to it.", name)
		}
		d := c.Warn(finding.CodeStuck, s.Model.Fail.Range, string(verb), fmt.Sprintf("%s of %s can fail forever at %s", verb, c.r.Spec.Name, s.Name),
			fmt.Sprintf("After this failure, each run resumes here, and asks again for what the step %q has started, although that has failed. ", name)+remedy)
		if !remakes && !c.isShared(s, verb) {
			d.Suggest(s.Model.WithMember("restart", name)...)
		}
	}
}

// startedBy returns the last step with an effect whose response a step asks for, or nil.
func startedBy(op *plan.Operation, s *plan.Step) *plan.Step {
	for _, earlier := range slices.Backward(op.Steps[:s.Index]) {
		if earlier.Effect != actions.Write || earlier.Model.As == "" {
			continue
		}
		for _, ref := range s.Refs() {
			if len(ref.Path) > 1 && ref.Path[0] == "steps" && ref.Path[1] == earlier.Model.As {
				return earlier
			}
		}
	}
	return nil
}

// isShared reports whether create has the same text as a step of update, as of a field of CUE that both refer to: the
// create would get an edit of it as well.
func (c *checker) isShared(s *plan.Step, verb plan.Verb) bool {
	return verb == plan.Update && slices.ContainsFunc(c.r.Create.Steps, func(other *plan.Step) bool { return other.At == s.At })
}
