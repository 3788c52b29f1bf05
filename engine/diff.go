package engine

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// Diff says what a change of inputs does to a resource. It accepts unknowns
// always: hosts ask with them even during a real update.
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (DiffResponse, error) {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return DiffResponse{}, err
	}
	state, err := e.recorded(ctx, res, req.Ref, req.State)
	if err != nil {
		return DiffResponse{}, err
	}
	e.tokens.show(objectOf(res, state), req.Ref, state.Private.Token)
	changes := e.changes(ctx, res, req.Ref, state, req.New, req.Ignore)
	if err := stopped(ctx); err != nil {
		return DiffResponse{}, err // an @equal that was cut short calls nothing equal
	}
	if len(changes) == 0 {
		changes = secrecy(state.Inputs, req.New)
	}
	if err := e.applyRules(ctx, res, req, state, changes); err != nil {
		return DiffResponse{}, err
	}
	out := DiffResponse{Changes: changes, Force: state.Private.Failed != nil, Stable: stableNames(res)}
	if res.Update == nil && out.Force && len(changes) == 0 && !resumable(res, state, req.New) {
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
	if len(out.Changes) > 0 && !out.DeleteBeforeReplace {
		// The user may have any change replace; it matters then, too.
		out.DeleteBeforeReplace = res.Spec.Diff != nil && res.Spec.Diff.DeleteBeforeReplace || e.keepsID(ctx, res, req, state)
	}
	return out, nil
}

// toMakeAnew reports whether there is nothing that an update could bring to the inputs
// of now: what made it was undone, or cannot go on.
func toMakeAnew(res *plan.Resource, state State, news property.Map) bool {
	f := state.Private.Failed
	switch {
	case f == nil || f.Op != string(plan.Create):
		return false
	case f.Stuck:
		return true
	default:
		return res.Maker != nil && slices.Contains(f.Undone, res.Maker.Index) && !resumable(res, state, news)
	}
}

// changes are the properties that differ, without what is ignored.
func (e *Engine) changes(ctx context.Context, res *plan.Resource, ref Ref, state State, news property.Map, ignore []string) []Change {
	d := &value.Differ{Equal: func(m *value.Member, old, new property.Value) bool { return e.equal(ctx, res, ref, m, old, new) }}
	d.Object(res.Inputs, state.Inputs, news, "", res.Update == nil)
	out := slices.DeleteFunc(d.Changes, func(c Change) bool {
		return value.Ignored(c.Path, ignore) || c.Kind == Delete && serverKeeps(res, c.Path)
	})
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// serverKeeps reports whether the path is a property that the server may choose
// (it is an input and an output of one type): taking it out of the program is
// no change.
func serverKeeps(res *plan.Resource, path string) bool {
	in, out := res.Inputs.ByName[path], res.Outputs.ByName[path]
	return in != nil && out != nil && in.Type.Kind == out.Type.Kind && in.Default == nil
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
func (e *Engine) applyRules(ctx context.Context, res *plan.Resource, req DiffRequest, state State, changes []Change) error {
	if len(res.Rules) == 0 || len(changes) == 0 {
		return nil
	}
	r := e.newRun(ctx, res, nil, plan.Update, req.Ref, nil)
	r.inputs(req.New)
	r.state(state)
	r.takeID(currentID(state))
	r.Vars.Values["changes"] = changedInputs(r, res, changes)
	for _, rule := range res.Rules {
		holds, err := r.Eval(rule.When)
		if err != nil {
			return r.Mask().Error(err)
		}
		if holds != true && !expr.HasUnknown(holds) {
			continue
		}
		for i, c := range changes {
			if slices.ContainsFunc(rule.Replace, func(p string) bool { return value.Within(c.Path, p) }) {
				changes[i].Replace = true
			}
		}
	}
	return nil
}

// changedInputs are the top-level inputs that differ, with their new values;
// null where removed.
func changedInputs(r *run, res *plan.Resource, changes []Change) map[string]any {
	inputs, _ := r.Vars.Values["inputs"].(map[string]any)
	out := map[string]any{}
	for _, c := range changes {
		name := value.TopLevel(c.Path)
		if v, given := inputs[name]; given {
			out[name] = v
			for _, p := range r.Secrets.Paths {
				if len(p) > 1 && p[0] == "inputs" && p[1] == name {
					r.Secrets.Paths = append(r.Secrets.Paths, append([]string{"changes"}, p[1:]...))
				}
			}
		} else {
			out[name] = nil
		}
	}
	return out
}

// keepsID reports whether a replacement would have the id of what it replaces:
// the old one then has to go first.
func (e *Engine) keepsID(ctx context.Context, res *plan.Resource, req DiffRequest, state State) bool {
	r := e.newRun(ctx, res, res.Create, plan.Create, req.Ref, nil)
	r.inputs(req.New)
	r.Vars.Values["steps"] = expr.Unknown{}
	for _, name := range plan.AnswerNames {
		r.Vars.Values[name] = expr.Unknown{}
	}
	id, err := r.evalID()
	return err == nil && id != "" && id == currentID(state)
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

// equal reports whether two values of an input mean the same to the world: by
// the @equal rule of the property, or as a set.
func (e *Engine) equal(ctx context.Context, res *plan.Resource, ref Ref, m *value.Member, old, new property.Value) bool {
	if m.EqualExpr != nil {
		return e.equalByTemplate(ctx, res, ref, m, old, new)
	}
	if !old.IsString() || !new.IsString() {
		return false
	}
	a, b := old.AsString(), new.AsString()
	switch m.Equal {
	case "fold":
		return strings.EqualFold(a, b)
	case "trim":
		return strings.TrimSpace(a) == strings.TrimSpace(b)
	case "path":
		return path.Clean(a) == path.Clean(b)
	case "json":
		return value.EqualJSON(a, b, e.program.MaxValues())
	default:
		return false
	}
}

// equalByTemplate evaluates an @equal template over old and new. A template
// that fails for these values does not call them equal.
func (e *Engine) equalByTemplate(ctx context.Context, res *plan.Resource, ref Ref, m *value.Member, old, new property.Value) bool {
	if m.EqualRule == nil || old.IsNull() || new.IsNull() {
		return false
	}
	r := e.newRun(ctx, res, nil, plan.Update, ref, nil)
	r.Vars.Values["old"] = m.Check.Plain(old, []string{"old"}, r.Secrets)
	r.Vars.Values["new"] = m.Check.Plain(new, []string{"new"}, r.Secrets)
	v, err := r.Eval(m.EqualRule)
	return err == nil && v == true && !expr.HasUnknown(v)
}
