package operation

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// UnmadeSteps returns the names of the create's steps that have made nothing for the resource so
// far: they did not run, were refused or undone, or their outcome is unknown. A step of an
// update makes what the create's step of the same name would have made. resumed is true if the run continues an earlier one.
func UnmadeSteps(r *Run, resumed bool, undone map[int]bool) string {
	ran := map[string]bool{}
	for _, t := range r.Touched {
		if t.Done || t.Step.OwnsWhatItSends() && !t.Unproven {
			ran[t.Step.Model.As] = !undone[t.Step.Index]
		}
	}
	var out []string
	for _, s := range r.Resource.Create.Steps {
		name := s.Model.As
		if !s.IsInMade() || ran[name] {
			continue
		}
		before := (r.Verb != plan.Create || resumed) && !slices.Contains(r.Unmade, name)
		if !before || r.Verb == plan.Create && undone[s.Index] {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// OrphanedSteps returns the steps of a create that have had an effect, or may have, for an object that was
// undone, and that were not undone themselves.
func OrphanedSteps(r *Run, failure error, undone map[int]bool) (steps []*plan.Step) {
	maybe := StatusOf(failure) != actions.Refused
	for i := range r.Operation.RelyOn(undone) {
		did := r.Finished[i] || slices.ContainsFunc(r.Touched, func(t *Touched) bool {
			return t.Step.Index == i && (t.Done || maybe && i == r.Failed)
		})
		if s := r.Operation.Steps[i]; did && !undone[i] && s.Effect == actions.Write {
			steps = append(steps, s)
		}
	}
	return steps
}
