// Package view has the scope of an operation on a resource: besides the settings and results
// of a scope, its templates see the resource's inputs, its recorded state, its id, and which
// steps of its create have made something.
package view

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// View is the scope of an operation on a resource.
type View struct {
	scope.Scope
	// Resource is nil if the operation belongs to no resource.
	Resource *plan.Resource
	// ID is the current id of the resource, "" if it has none.
	ID string
	// Before are the recorded inputs, if the operation has a state.
	Before property.Map
	// Unmade are the names of the steps of the create that have made nothing, as the
	// recorded state has them.
	Unmade []string
}

// SetInputs puts checked inputs into scope, as `inputs`.
func (v *View) SetInputs(values property.Map) { v.SetObject("inputs", v.Resource.Inputs, values) }

// SetState puts the recorded inputs and outputs into scope, as `state`.
func (v *View) SetState(s recorded.State) { v.setState(s, recorded.WithDefaults(v.Resource, s)) }

// setState is SetState with recorded inputs that have their defaults already.
func (v *View) setState(s recorded.State, inputs property.Map) {
	if s.Private.Failed != nil && inputs.Len() > 0 {
		// After a failed update the outputs may echo inputs that were not applied.
		s.Outputs = property.NewMap(recorded.DeclaredOutputs(v.Resource, s))
	}
	v.Before = s.Inputs
	both := make(map[string]any, max(inputs.Len(), s.Outputs.Len()))
	v.Resource.Inputs.PlainInto(both, inputs, value.PathTo("state"), v.Secrets)
	v.Resource.Outputs.PlainInto(both, s.Outputs, value.PathTo("state"), v.Secrets)
	v.Vars.Values["state"] = both
	v.Unmade = strings.Fields(s.Private.Unmade)
	v.setMade()
}

// Recall puts a recorded state into scope: its inputs as `inputs`, all of it as `state`, and its
// id. It is for operations without inputs of their own.
func (v *View) Recall(s recorded.State) {
	filled := recorded.WithDefaults(v.Resource, s)
	v.SetInputs(filled)
	v.setState(s, filled)
	v.TakeID(recorded.CurrentID(s))
}

// A create of several steps may stop halfway, and an `if` may leave out a step of it. An object
// that such a step would have made is somebody else's if it exists, and a delete must leave it
// alone. Only the author knows which step of the delete belongs to which step of the create.
// So the state records which named steps of the create have made nothing for the resource, and
// templates read it as `made`.

// setMade puts `made` into scope: which named steps of the create have made something.
func (v *View) setMade() {
	if v.Resource.Create == nil || !slices.ContainsFunc(v.Resource.Create.Steps, (*plan.Step).IsInMade) {
		return
	}
	made := map[string]any{}
	for _, s := range v.Resource.Create.Steps {
		if s.IsInMade() {
			made[s.Model.As] = !slices.Contains(v.Unmade, s.Model.As)
		}
	}
	v.Vars.Values["made"] = made
}

// AsGranted calls f while `inputs` are what the permissions of a method see: the inputs of the
// resource, and the arguments that have no name in common with them. So a method may use what
// its resource may, and no argument widens that.
func (v *View) AsGranted(s recorded.State, f func() error) error {
	arguments := v.Vars.Values["inputs"]
	members, _ := arguments.(map[string]any)
	granting := maps.Clone(members)
	if granting == nil {
		granting = map[string]any{}
	}
	maps.Copy(granting, v.Resource.Inputs.PlainMap(s.Inputs, []string{"inputs"}, &value.Secrets{}))
	v.Vars.Values["inputs"] = granting
	defer func() { v.Vars.Values["inputs"] = arguments }()
	return f()
}

// Changed returns the top-level inputs that differ, with their new values, null where they were
// removed: the `changes` of templates.
func (v *View) Changed(changes []value.Change) map[string]any {
	inputs, _ := v.Vars.Values["inputs"].(map[string]any)
	out := map[string]any{}
	for _, c := range changes {
		name := value.TopLevel(c.Path)
		if now, given := inputs[name]; given {
			out[name] = now
			for _, p := range v.Secrets.Paths {
				if len(p) > 1 && p[0] == "inputs" && p[1] == name {
					v.Secrets.Paths = append(v.Secrets.Paths, append([]string{"changes"}, p[1:]...))
				}
			}
		} else {
			out[name] = nil
		}
	}
	return out
}

// HideLatestResponse makes the response in scope, which is that of an earlier step, unknown.
func (v *View) HideLatestResponse() {
	for _, name := range plan.AnswerNames {
		v.Vars.Values[name] = expr.Unknown{}
	}
}
