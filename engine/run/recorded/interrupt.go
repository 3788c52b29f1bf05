package recorded

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// AddGiven adds names of inputs that an operation ran with.
func (f *Failed) AddGiven(names ...string) {
	f.Given = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(f.Given), names...))))
}

// MayHaveGiven reports whether an operation may have run with an input.
func (f *Failed) MayHaveGiven(name string) bool {
	return f == nil || f.Given == nil || slices.Contains(f.Given, name)
}

// Interrupt returns what is known of an update that was killed: only that it began.
func Interrupt(update *plan.Operation) *Failed {
	first := slices.IndexFunc(update.Steps, func(s *plan.Step) bool { return s.Effect == actions.Write })
	return &Failed{Op: string(plan.Update), Step: max(first, 0), Unknown: true, Error: "an update of it was interrupted, and its outcome is not known"}
}
