package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/declprov/declprov/engine/run/compare"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Diff says what a change of inputs does to a resource. It accepts unknowns
// always: hosts ask with them even during a real update.
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (DiffResponse, error) {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return DiffResponse{}, err
	}
	states := e.states(res, req.Ref)
	state, err := states.recorded(ctx, req.State)
	if err != nil {
		return DiffResponse{}, err
	}
	if err := e.resources.Declare(res, req.Ref, state); err != nil {
		return DiffResponse{}, err
	}
	e.resources.Tokens.Show(recorded.ObjectOf(res, state), req.Ref, state.Private.Token)
	changes := compare.Rules{Runtime: e.resources.Runtime, Resource: res, Ref: req.Ref, OfRead: state.Private.Imported}.Changes(ctx, state.Inputs, req.New, req.Ignore)
	for i, c := range changes {
		changes[i].Replace = c.Replace && !state.Private.IsFirst(c)
	}
	if err := stop.Err(ctx); err != nil {
		return DiffResponse{}, err // an @equal that was cut short calls nothing equal
	}
	if len(changes) == 0 {
		changes = secrecy(state.Inputs, req.New)
	}
	if err := e.applyRules(ctx, res, req, state, changes); err != nil {
		return DiffResponse{}, err
	}
	out := DiffResponse{Changes: changes, Force: state.Private.Failed != nil, Stable: stableNames(res)}
	if res.Update == nil && out.Force && len(changes) == 0 && !recorded.CanResume(res, state, req.New) {
		// Nothing differs, but what is there is unfinished, and no update could
		// finish it.
		out.Changes = append(out.Changes, Change{Path: firstInput(res), Kind: Update, Replace: true})
	}
	if toMakeAnew(res, state, req.New) {
		if len(out.Changes) == 0 {
			out.Changes = append(out.Changes, Change{Path: firstInput(res), Kind: Update})
		}
		for i := range out.Changes {
			out.Changes[i].Replace = true
		}
		out.DeleteBeforeReplace = true
	}
	if !slices.ContainsFunc(out.Changes, func(c Change) bool { return c.Replace }) {
		e.resources.Tokens.Manage(recorded.ObjectOf(res, state), req.Ref, state.Private.Token)
	}
	out.Changes = value.Shown(out.Changes)
	if len(out.Changes) > 0 && !out.DeleteBeforeReplace {
		// The user may have any change replace; it matters then, too.
		out.DeleteBeforeReplace = res.Spec.Diff != nil && res.Spec.Diff.DeleteBeforeReplace ||
			e.keepsID(ctx, res, req, state) || findsOriginal(res, changes)
	}
	return states.withMove(out, state)
}

// toMakeAnew reports whether no object exists that an update could change to the new inputs:
// the create that made it was undone, or cannot be resumed.
func toMakeAnew(res *plan.Resource, state recorded.State, news property.Map) bool {
	f := state.Private.Failed
	switch {
	case f == nil || f.Op != string(plan.Create):
		return false
	case f.Stuck:
		return true
	default:
		return res.Maker != nil && (slices.Contains(f.Undone, res.Maker.Index) && !recorded.CanResume(res, state, news) || recorded.GetsNewID(res, state))
	}
}

// secrecy are the inputs that became secret with no change of
// value: the state must be written again, so that it is kept encrypted.
func secrecy(olds, news property.Map) []Change {
	var out []Change
	for name, now := range news.AllStable {
		old := olds.Get(name)
		if now.HasSecrets() && !old.HasSecrets() && !now.HasComputed() {
			out = append(out, Change{Path: value.Join("", name), Kind: Update})
		}
	}
	return out
}

// applyRules marks the changes that replace by a rule of the spec.
func (e *Engine) applyRules(ctx context.Context, res *plan.Resource, req DiffRequest, state recorded.State, changes []Change) error {
	if len(res.Rules) == 0 || len(changes) == 0 {
		return nil
	}
	r := e.resources.New(ctx, res, nil, plan.Update, req.Ref, nil)
	r.SetInputs(req.New)
	r.SetState(state)
	r.TakeID(recorded.CurrentID(state))
	r.Vars.Values["changes"] = r.Changed(changes)
	for _, rule := range res.Rules {
		holds, err := r.Eval(rule.When)
		if err != nil {
			return r.Mask().Error(err)
		}
		if holds != true && !expr.HasUnknown(holds) {
			continue
		}
		for i, c := range changes {
			if slices.ContainsFunc(rule.Replace, func(p string) bool { return value.IsWithin(c.Path, p) }) {
				changes[i].Replace = !state.Private.IsFirst(c)
			}
		}
	}
	return nil
}

// keepsID reports whether a replacement would have the id of what it replaces:
// the old one then has to go first.
func (e *Engine) keepsID(ctx context.Context, res *plan.Resource, req DiffRequest, state recorded.State) bool {
	r := e.resources.New(ctx, res, res.Create, plan.Create, req.Ref, nil)
	r.SetInputs(req.New)
	r.Vars.Values["steps"] = expr.Unknown{}
	for _, name := range plan.AnswerNames {
		r.Vars.Values[name] = expr.Unknown{}
	}
	id, err := r.EvalID()
	return err == nil && id != "" && id == recorded.CurrentID(state)
}

// findsOriginal reports whether the `find` of a replacement would find the object to replace,
// because no input that it refers to has changed: the create would then be refused.
func findsOriginal(res *plan.Resource, changes []Change) bool {
	return res.FindFirst && !slices.ContainsFunc(changes, func(c Change) bool {
		return slices.ContainsFunc(res.SoughtBy, func(name string) bool { return value.IsWithin(c.Path, name) })
	})
}

// stableNames are the properties that an update leaves as they are: outputs that
// say so, and inputs whose change replaces.
func stableNames(res *plan.Resource) []string {
	names := map[string]bool{}
	for _, m := range res.Outputs.Fields {
		if m.Stable {
			names[m.Name] = true
		}
	}
	for _, m := range res.Inputs.Fields {
		if m.Replace && res.Outputs.ByName[m.Name] == nil {
			names[m.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func firstInput(res *plan.Resource) string {
	if len(res.Inputs.Fields) == 0 {
		return "id"
	}
	return res.Inputs.Fields[0].Name
}
