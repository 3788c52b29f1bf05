package recorded

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// ErrInterrupted is the failure of a create that the journal holds until its end is known.
var ErrInterrupted = errors.New("the provider ended while the create was under way")

// NamesOf returns the names of inputs.
func NamesOf(inputs property.Map) []string { return slices.Sorted(maps.Keys(inputs.AsMap())) }

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

// Original are the inputs with which a create began, if the host has recorded others. Secret are the names
// of those that are secret, Withheld of those that are files, which Inputs does not have.
type Original struct {
	Inputs           json.RawMessage `json:"inputs"`
	Secret, Withheld []string
}

// KeepOriginal adds the original inputs of a create to the state of a failed one, because the host records
// others: those of the next attempt, or what a read has shown.
func (s *State) KeepOriginal(inputs property.Map) {
	if s == nil || s.Private.Failed == nil {
		return
	}
	f, o := *s.Private.Failed, &Original{}
	for name, v := range inputs.AllStable {
		if v.HasSecrets() {
			o.Secret, f.Secret = append(o.Secret, name), true
		}
	}
	o.Inputs, o.Withheld = value.EncodeRecordable(value.WithoutSecrecy(property.New(inputs)).AsMap())
	f.Original, s.Private.Failed = o, &f
}

// KeepDrifted adds to the state of a failed create that a refresh has shown other inputs, if it has.
func (s *State) KeepDrifted(has bool) {
	if s == nil || s.Private.Failed == nil || !has {
		return
	}
	f := *s.Private.Failed
	f.Drifted, s.Private.Failed = true, &f
}

// RequireReplacement returns the names of the inputs of changes that no update can send.
func RequireReplacement(res *plan.Resource, changes []value.Change) (names []string) {
	for _, c := range changes {
		if c.Replace || res.Update == nil {
			names = append(names, value.TopLevel(c.Path))
		}
	}
	return slices.Compact(names)
}

// OriginalInputs returns the inputs with which the object of a state was begun to be made. Files are those that
// the host has recorded: if the program has given others since, nothing has the first ones any more.
func (s State) OriginalInputs() (property.Map, error) {
	if s.Private.Failed == nil || s.Private.Failed.Original == nil {
		return s.Inputs, nil
	}
	o := s.Private.Failed.Original
	inputs, err := value.DecodeRecorded(o.Inputs)
	for _, name := range o.Secret {
		if v, known := inputs.GetOk(name); known {
			inputs = inputs.Set(name, v.WithSecret(true))
		}
	}
	for _, name := range o.Withheld {
		if v, known := s.Inputs.GetOk(name); known {
			inputs = inputs.Set(name, v)
		}
	}
	return inputs, err
}
