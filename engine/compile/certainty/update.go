package certainty

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// checkUpdate warns about the steps of an update that the next run repeats after a lost response,
// although they may take effect each time. Read shows what came of the last step with an effect:
// the run repeats that only if the object is not as the program wants it.
func (c *checker) checkUpdate() {
	r := c.r
	if r.Update == nil || c.HasFailed("update") || c.HasFailed("read") {
		return
	}
	for _, s := range r.Update.Steps {
		why := c.whyUntold(s)
		if s.Certainty != actions.Uncertain || s.OnlyChanges() || why == "" || c.isReported(s) {
			continue
		}
		remedy := s.RepeatRemedy
		if s.Place != "" {
			remedy += " A PUT or PATCH counts as safe, too."
		}
		d := c.Warn(finding.CodeAtLeastOnce, s.Model.Range, "update", fmt.Sprintf("an update of %s may run %s twice", r.Spec.Name, s.Name),
			"If the response is lost, or the provider dies before it arrives, it is not known whether the step had an effect, and the next run repeats it: "+why+". "+remedy)
		if !noteIfAccepted(d, s) {
			d.Detail += " If the next run may repeat it nevertheless, say that you know: `idempotent: false`."
		}
	}
}

// whyUntold returns why read cannot show whether a step of update was done, as a clause, or "" if it can.
func (c *checker) whyUntold(s *plan.Step) string {
	switch {
	case slices.ContainsFunc(c.r.Update.Steps[s.Index+1:], func(after *plan.Step) bool { return after.Effect == actions.Write }):
		return "`read` only shows whether the last step with an effect was done"
	case c.r.Read == nil:
		return "there is no `read` that shows whether it was done"
	case !slices.ContainsFunc(c.r.Spec.Inputs.Fields, func(p *spec.Property) bool { return !p.NoRead && !p.Ephemeral }):
		return "`read` returns no input that shows whether it was done"
	default:
		return ""
	}
}

// isReported reports whether another warning says that a step may run twice: that of a step of create
// with the same text, or of a later step that restarts there.
func (c *checker) isReported(s *plan.Step) bool {
	return slices.ContainsFunc(c.r.Create.Steps, func(other *plan.Step) bool {
		return other.At == s.At && c.r.MayRunTwice(other)
	}) || slices.ContainsFunc(c.r.Update.Steps[s.Index+1:], func(after *plan.Step) bool { return after.Restart <= s.Index })
}
