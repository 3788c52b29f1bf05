package operation

import (
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
)

// RepeatUnseen makes the run send the steps again whose effect nobody has seen: those whose responses did not match their
// types, or else the last one with an effect that runs. What relies on their results runs again, too.
// It returns the index of the first step that runs.
func RepeatUnseen(r *Run) (first int) {
	steps, again := r.Operation.Steps, maps.Clone(r.Misfits)
	for i := len(steps) - 1; i >= 0 && len(again) == 0; i-- {
		if runs, err := r.Bool(steps[i].When, true); steps[i].Effect == actions.Write && (runs || err != nil) {
			again = map[int]bool{i: true}
		}
	}
	first = len(steps)
	for _, i := range slices.Sorted(maps.Keys(again)) {
		for n := steps[i].Restart; n < i; n++ {
			again[n] = true
		}
		first = min(first, steps[i].Restart)
	}
	maps.Copy(again, r.Operation.RelyOn(again))
	r.Finished = map[int]bool{}
	for i := range steps {
		if !again[i] {
			r.Finished[i] = true
		}
	}
	for i := range r.Operation.StaleReads(r.Finished) {
		delete(r.Finished, i)
	}
	r.Misfits, r.Looping, r.Elements, r.Spare = nil, nil, nil, nil
	return first
}
