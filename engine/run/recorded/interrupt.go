package recorded

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
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

// MayHave reports whether the object of a state may have an input that a program has set.
func (s State) MayHave(name string) bool {
	_, recorded := s.Inputs.GetOk(name)
	return recorded || s.Private.Failed.MayHaveGiven(name)
}

// WithInputsOf returns the state after a create that was resumed with new inputs, with its original
// ones: those are what its first steps were run with. The input whose elements the loop at which it had
// stopped goes through is recorded with its new value, with which the loop has ended. It returns nil for nil.
func (s *State) WithInputsOf(begun State, res *plan.Resource) *State {
	if s == nil {
		return nil
	}
	out := *s
	out.Inputs = begun.Inputs
	recorded := begun.Inputs
	if name := res.Create.Steps[begun.Private.Failed.Step].LoopInput(); name != "" {
		if v, given := s.Outputs.GetOk(name); given {
			recorded = recorded.Set(name, v)
		}
	}
	out.Outputs = WithInputs(recorded, DeclaredOutputs(res, *s))
	if f := out.Private.Failed; f != nil {
		failed := *f
		failed.Inputs = begun.Private.Failed.Inputs
		out.Private.Failed = &failed
	}
	return &out
}

// AddWorld adds the original inputs of a create to the state of a failed one, because the host records the
// new ones.
func (s *State) AddWorld(inputs property.Map) {
	if s != nil && s.Private.Failed != nil {
		s.Private.Failed.World, _ = value.EncodeRecordable(inputs)
	}
}
