// Package recorded has the recorded states of resources, and the tokens that tell which state an
// object belongs to.
package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
)

// WithInputs returns the outputs as a host shows them: the inputs, and the declared outputs. An
// output in the place of a secret input is secret.
func WithInputs(inputs property.Map, outputs map[string]property.Value) property.Map {
	all := inputs.AsMap()
	for name := range all {
		if len(name) > 1 && name[:2] == "__" {
			delete(all, name)
		}
	}
	for name, value := range outputs {
		all[name] = CopySecrecy(value, inputs.Get(name))
	}
	return property.NewMap(all)
}

// CopySecrecy returns a value that is secret where another value is: as a whole, or in parts.
func CopySecrecy(v, other property.Value) property.Value {
	switch {
	case !other.HasSecrets() || v.Secret():
		return v
	case other.Secret():
		return v.WithSecret(true)
	case v.IsMap() && other.IsMap():
		parts := v.AsMap().AsMap()
		for name, part := range parts {
			parts[name] = CopySecrecy(part, other.AsMap().Get(name))
		}
		return property.WithGoValue(v, property.NewMap(parts))
	case v.IsArray() && other.IsArray() && v.AsArray().Len() == other.AsArray().Len():
		items := v.AsArray().AsSlice()
		for i, item := range items {
			items[i] = CopySecrecy(item, other.AsArray().Get(i))
		}
		return property.WithGoValue(v, property.NewArray(items))
	default:
		return v.WithSecret(true) // of another shape, it may be anywhere
	}
}

// CurrentID returns the id of the object of a state, which the host may not know yet.
func CurrentID(s State) string {
	if s.Private.ID != "" {
		return s.Private.ID
	}
	return s.ID
}

// SetCurrentID sets the id of the object, if it is not the one that the host knows.
func (s *State) SetCurrentID(id string) {
	if s.Private.ID = ""; id != s.ID {
		s.Private.ID = id
	}
}

// WithIDInputs returns inputs of a resource under a configuration, of which those that the id gives have its values.
func WithIDInputs(of *plan.Resource, config map[string]any, id string, inputs property.Map) (property.Map, error) {
	if !of.Identity.ID.IsSet() {
		return inputs, nil
	}
	said, _, err := of.Identity.ID.Read(of, config, id)
	for name, v := range said.AllStable {
		if before, given := inputs.GetOk(name); !given || !value.PlainEqual(before, v) {
			inputs = inputs.Set(name, v)
		}
	}
	return inputs, err
}

// DeclaredOutputs returns the recorded outputs that the spec declares.
func DeclaredOutputs(res *plan.Resource, s State) map[string]property.Value {
	out := map[string]property.Value{}
	for _, m := range res.Outputs.Fields {
		if v, ok := s.Outputs.GetOk(m.Name); ok {
			out[m.Name] = v
		}
	}
	return out
}

// OtherStable returns the outputs that never change, and differ in two states: these are of two objects.
func OtherStable(res *plan.Resource, before, after State) (names []string) {
	for _, m := range res.Outputs.Fields {
		was, now := before.Outputs.Get(m.Name), after.Outputs.Get(m.Name)
		if m.Stable && !m.NoRead && !was.IsNull() && !now.IsNull() && !value.PlainEqual(was, now) {
			names = append(names, m.Name)
		}
	}
	return names
}

// HashInputs returns a hash of inputs, with which runs compare them without revealing
// them.
func HashInputs(inputs property.Map) string {
	sum := sha256.Sum256([]byte(value.Canonical(property.New(inputs))))
	return hex.EncodeToString(sum[:])
}

// RanWith reports whether an operation that stopped ran with these inputs.
func RanWith(state State, inputs property.Map) bool {
	f := state.Private.Failed
	return f != nil && f.Inputs == HashInputs(inputs)
}

// CanResume reports whether an operation that stopped can resume at its step: the
// inputs are the same, and it can continue.
func CanResume(res *plan.Resource, state State, news property.Map) bool {
	return RanWith(state, news) && CanContinue(res, state)
}

// CanContinue reports whether an operation that stopped has the same steps as then. With other inputs, only
// a create continues.
func CanContinue(res *plan.Resource, state State) bool {
	f := state.Private.Failed
	if f == nil || f.Stuck || f.Seen {
		return false
	}
	op := res.Create
	switch f.Op {
	case string(plan.Update):
		op = res.Update
	case string(plan.Delete):
		op = res.Delete
	}
	return op != nil && f.Steps == op.Shape() && f.Step <= len(op.Steps) && len(f.Results) >= f.Step
}

// MayAwait reports whether all requests of an operation that stopped were done, so that only what awaits their outcome is to be
// run again with the same inputs, also after a read has shown that nothing differs.
func MayAwait(res *plan.Resource, state State, news property.Map) bool {
	f := *state.Private.Failed
	op := res.Create
	if f.Op == string(plan.Update) {
		op = res.Update
	}
	f.Seen, state.Private.Failed = false, &f
	return len(f.Undone)+len(f.Doubted) == 0 && CanResume(res, state, news) && (plan.Waiting{Operation: op}).OnlyAwaits(f.Step)
}

// GetsNewID reports whether a create that stopped would make its object again when it continues, under another id: the object was
// undone, or that was begun. A host gives an object that it updates no other id, so that programs would go on with that of
// before.
func GetsNewID(res *plan.Resource, state State) bool {
	f := state.Private.Failed
	return f.Op == string(plan.Create) && res.Maker != nil && res.IDFromResponses() &&
		(slices.Contains(f.Undone, res.Maker.Index) || slices.Contains(f.Doubted, res.Maker.Index))
}

// WithoutFiles returns a step's result without files, which the private part of a state
// does not contain.
func WithoutFiles(v any) any {
	return value.MapLeaves(v, func(leaf any) any {
		if _, ok := leaf.(*spec.File); ok {
			return nil
		}
		return leaf
	})
}

// WithDefaults returns recorded inputs as the templates of an operation see them: with the
// current defaults, so that inputs which are always present are present. The inputs
// of an import have no defaults, because the read determines them.
func WithDefaults(r *plan.Resource, s State) property.Map {
	if s.Outputs.Len() == 0 {
		return s.Inputs
	}
	return r.Inputs.Complete(property.New(s.Inputs), "", &value.Findings{}).AsMap()
}

// Ref identifies the resource of a call.
type Ref struct {
	// Type is the name of the resource in the spec, such as "File".
	Type string
	// Name is the name of the resource in the program, or "" if the host has none.
	Name string
	// Key identifies the resource among all resources of the host, in all runs. For
	// Pulumi it is the URN. It is "" if the host has none.
	Key string
}

// State is the state of a resource between two calls.
type State struct {
	ID string
	// Inputs are the inputs that Check returned.
	Inputs property.Map
	// Outputs contain the inputs that are not ephemeral, and the declared outputs.
	Outputs property.Map
	Private Private
}

// Private is the engine's own part of a state. Hosts store it, and never show it. The
// zero value contains no information.
type Private struct {
	// SchemaVersion is the `schemaVersion` of the resource when the state was recorded.
	SchemaVersion int `json:"v,omitempty"`
	// ID is the current id, if an update changed it and the host still has the old one.
	ID string `json:"id,omitempty"`
	// Token is the token of the create or import of the resource; see tokens.go.
	Token string `json:"t,omitempty"`
	// Location has the settings that say where the object is; see location.go.
	Location string `json:"at,omitempty"`
	// Updated is the key of the journal's entry for the last update; see package entries.
	Updated string `json:"u,omitempty"`
	// VisibleBy is the time by which the server shows the object, if the spec says how long that may take
	// after a create (`consistency`).
	VisibleBy time.Time `json:"visibleBy,omitzero"`
	// Lookup is true if the state is from a read for a program that does not manage the
	// resource.
	Lookup bool `json:"lookup,omitempty"`
	// Imported is true if the inputs are what an import has read: a list that is absent may be one
	// that is empty in the program.
	Imported bool `json:"imported,omitempty"`
	// Unshown are the inputs of which the import did not show the value, and which no program has set since,
	// separated by spaces like Unmade.
	Unshown string `json:"unshown,omitempty"`
	// ETags are the ETags of the latest responses about the resource, or "".
	ETags actions.ETags `json:"etag,omitempty"`
	// Unmade are the names of the create steps that have created nothing for this
	// resource, separated by spaces so that a Private can be compared.
	Unmade string `json:"unmade,omitempty"`
	// Written are the values of the properties with @normalised() at the last write. It is
	// nil if there are none, and after an import.
	Written *Written `json:"written,omitempty"`
	// Failed is set if a create or update stopped halfway.
	Failed *Failed `json:"failed,omitempty"`
}

// Failed describes an operation that stopped, so that the next run can resume it.
type Failed struct {
	// Op is "create" or "update".
	Op string `json:"op"`
	// Step is the index of the step that failed.
	Step int `json:"step"`
	// Results are the results of the completed steps, by index. Undone are the indices
	// of the steps that were undone since.
	Results []any `json:"results,omitempty"`
	Undone  []int `json:"undone,omitempty"`
	// Doubted are the indices of the steps for which it is not known whether they were
	// undone.
	Doubted []int `json:"doubted,omitempty"`
	// Claims are what the responses of completed steps say that they have done, by index. Unproven are the indices of the steps
	// of which nothing proves yet that what is there is the resource's own.
	Claims   map[int]actions.Claim `json:"claims,omitempty"`
	Unproven []int                 `json:"unproven,omitempty"`
	// Kept are the indices of completed steps after the failed one, which had been
	// undone and was run again.
	Kept []int `json:"kept,omitempty"`
	// Misfits are the indices of completed steps whose responses do not match their
	// declared types, or say that they had no effect.
	Misfits []int `json:"misfits,omitempty"`
	// StandIns are the indices of completed steps whose results are not their responses, which were lost.
	StandIns []int `json:"standIns,omitempty"`
	// Elements are the results of the completed elements of the failed step, by key.
	Elements map[string]any `json:"elements,omitempty"`
	// Prints are hashes of what these elements were, and Entries the keys of the journal's entries about them, by key.
	Prints  map[string]string `json:"prints,omitempty"`
	Entries map[string]string `json:"entries,omitempty"`
	// Spare are the results of elements that are gone.
	Spare []Element `json:"spare,omitempty"`
	// Stuck is true if a create can never resume with the responses of its steps. The
	// resource must then be created again.
	Stuck bool `json:"stuck,omitempty"`
	// Seen is true if the resource was read since, so that its differences are known, but for those of
	// the inputs Unread, which that read did not show.
	Seen   bool     `json:"seen,omitempty"`
	Unread []string `json:"unread,omitempty"`
	// Drifted is true if a refresh has shown other inputs than those that the create ran with. The steps that are left may not
	// bring them back, and the host then records that the object has all that the program says. So it is read once more when
	// the create is complete, and an update sends what differs.
	Drifted bool `json:"drifted,omitempty"`
	// Unknown is true if it is not known whether the step was done.
	Unknown bool `json:"unknown,omitempty"`
	// ID is the id that the steps of an update used, if the resource has another one
	// now.
	ID string `json:"id,omitempty"`
	// Named is another id that a response to the update names, if nothing has told yet whether it is that of the object.
	Named *Named `json:"named,omitempty"`
	// Original are the inputs of a create, if the host has recorded others.
	Original *Original `json:"original,omitempty"`
	// Entry is the key of the journal's entry of the create, "" if it has none.
	Entry string `json:"entry,omitempty"`
	// Secret is true if this may contain a secret, so that hosts encrypt it.
	Secret bool `json:"secret,omitempty"`
	// Steps is the Shape of the operation, so that another version of the spec does not
	// resume in the middle of other steps.
	Steps string `json:"steps,omitempty"`
	// Inputs is the hash of the inputs that the operation ran with.
	Inputs string `json:"inputs"`
	// Given are the names of the inputs that the operation ran with, and those of earlier ones whose
	// outcome is not known either. A state of an older version has none.
	Given []string `json:"given,omitempty"`
	// Error is the error message for users.
	Error string `json:"error,omitempty"`
}

// Named is an id that a response to an update names. Inputs are those of the update, without the ones that are secret or
// files, whose names are Withheld. Sent is when the request was sent.
type Named struct {
	ID       string          `json:"id"`
	Inputs   json.RawMessage `json:"inputs,omitempty"`
	Withheld []string        `json:"withheld,omitempty"`
	Sent     time.Time       `json:"sent,omitzero"`
}

// SettleNamed gives the state the id that a response named, or the one that it had nevertheless.
func (s *State) SettleNamed(id string) {
	if s.Private.Failed != nil {
		f := *s.Private.Failed
		if f.Named = nil; f.ID == "" && id != CurrentID(*s) {
			f.ID = CurrentID(*s) // as the steps that are done have seen it
		}
		s.Private.Failed = &f
	}
	s.SetCurrentID(id)
}

// Element is the result of a step for an element of its loop.
type Element struct {
	// Key is the key of the element. In a list, that is its index in the run that had it last.
	Key string `json:"key"`
	// Print is a hash of the element.
	Print  string `json:"print"`
	Result any    `json:"result"`
	// Entry is the key of the journal's entry about it, "" if there is none. The element in the entry is the
	// key of then.
	Entry string `json:"entry,omitempty"`
}

// KeepElements records what the failed step has done for elements of its loop, and for those that are gone.
func (f *Failed) KeepElements(done map[string]Element, spare []Element) {
	f.Elements, f.Prints, f.Entries, f.Spare = nil, nil, nil, nil
	if len(done) > 0 {
		f.Elements, f.Prints, f.Entries = map[string]any{}, map[string]string{}, map[string]string{}
	}
	for key, e := range done {
		f.Elements[key], f.Prints[key] = WithoutFiles(e.Result), e.Print
		if e.Entry != "" {
			f.Entries[key] = e.Entry
		}
	}
	for _, e := range spare {
		e.Result = WithoutFiles(e.Result)
		f.Spare = append(f.Spare, e)
	}
}

// Ran returns for how many elements of its loop the failed step has a result.
func (f *Failed) Ran() int { return len(f.Elements) + len(f.Spare) }

// RestoredElements returns what KeepElements has recorded, with results as an operation has them.
func (f *Failed) RestoredElements() (done map[string]Element, spare []Element) {
	done = map[string]Element{}
	for key, result := range f.Elements {
		done[key] = Element{Key: key, Print: f.Prints[key], Result: value.Restore(result), Entry: f.Entries[key]}
	}
	for _, e := range f.Spare {
		e.Result = value.Restore(e.Result)
		spare = append(spare, e)
	}
	return done, spare
}
