package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// stateFromRead is the state that a read found.
func (rt *Runtime) stateFromRead(r *Run, ref recorded.Ref, old recorded.State, yield any, importing bool) Result {
	m := r.Mask()
	outputs, lost := r.res.Outputs.Project(yield, m)
	if lost == nil && len(outputs.Missing) > 0 {
		lost = r.missingError("read yields", outputs.Missing, yield)
	}
	inputs, lostInputs := rt.inputsFromRead(r, ref, old, yield, importing)
	if all, changed := r.res.Inputs.Seal(property.New(inputs)); changed {
		inputs = all.AsMap() // the spec may have declared it secret since then
	}
	lost = errors.Join(lost, lostInputs)
	// What is managed stays so without what cannot be recorded of it; what is not yet
	// is not taken over.
	if lost != nil && (importing || !value.IsUnrecordable(lost)) {
		return Result{Err: m.Error(fmt.Errorf("read of %s: %w", r.res.Spec.Name, lost))}
	}
	for name, value := range outputs.Values {
		outputs.Values[name] = recorded.CopySecrecy(value, old.Outputs.Get(name))
	}
	private := old.Private
	private.ETag = r.ETag
	private.SchemaVersion = r.res.Spec.SchemaVersion // an import has none yet
	if f := private.Failed; f != nil && f.Op == string(plan.Update) {
		seen := *f
		seen.Seen = true // from now on what differs is known
		private.Failed = &seen
	}
	found, err := rt.identify(r, old, recorded.State{Inputs: inputs, Outputs: recorded.WithInputs(inputs, outputs.Values), Private: private})
	if err != nil {
		return Result{Err: m.Error(fmt.Errorf("read of %s: %w", r.res.Spec.Name, err))}
	}
	if lost != nil {
		lost = m.Error(fmt.Errorf("read of %s: %w", r.res.Spec.Name, lost))
	}
	return Result{State: &found, Err: lost}
}

// inputsFromRead are the recorded inputs, brought to what the world has. What it
// does not give back stands, and so does what means the same.
func (rt *Runtime) inputsFromRead(r *Run, ref recorded.Ref, old recorded.State, yield any, importing bool) (property.Map, error) {
	inputs := old.Inputs
	found, err := r.res.Inputs.Project(yield, r.Mask())
	if err != nil && !value.IsUnrecordable(err) {
		return inputs, err
	}
	for _, m := range r.res.Inputs.Fields {
		recorded, given := old.Inputs.GetOk(m.Name)
		shown, there := found.Values[m.Name]
		// The server may choose what is an input and an output: the input is
		// the program's only where the program set it.
		chosen := !importing && !given && r.res.Outputs.ByName[m.Name] != nil
		switch {
		case slices.Contains(found.Lost, m.Name):
			// It stays as it is recorded.
		case m.NoRead || m.Ephemeral || chosen:
			if importing && !given && m.Default != nil {
				inputs = inputs.Set(m.Name, m.Fallback)
			}
		case !there && (m.Required || r.res.Identity.Determines(m.Name) && given):
			// The world does not say, and it cannot be unset; or the id says it.
		case !there && m.Default != nil:
			inputs = inputs.Set(m.Name, m.Fallback)
		case !there:
			inputs = inputs.Delete(m.Name)
		case given && (value.PlainEqual(recorded, shown) || rt.isSame(r.Vars.Context, r.res, ref, m, recorded, shown)):
		default:
			inputs = inputs.Set(m.Name, shown.WithSecret(shown.Secret() || recorded.HasSecrets()))
		}
	}
	return inputs, err
}

// isSame reports whether two values mean the same, by all rules of a diff.
func (rt *Runtime) isSame(ctx context.Context, res *plan.Resource, ref recorded.Ref, m *value.Member, old, new property.Value) bool {
	d := &value.Differ{Equal: func(m *value.Member, old, new property.Value) bool { return rt.isEqual(ctx, res, ref, m, old, new) }}
	d.Compare(m.Check, m, old, new, m.Name, false)
	return len(d.Changes) == 0
}

// changes are the properties that differ, without what is ignored.
func (rt *Runtime) Changes(ctx context.Context, res *plan.Resource, ref recorded.Ref, state recorded.State, news property.Map, ignore []string) []value.Change {
	d := &value.Differ{Equal: func(m *value.Member, old, new property.Value) bool { return rt.isEqual(ctx, res, ref, m, old, new) }}
	d.CompareObjects(res.Inputs, state.Inputs, news, "", res.Update == nil)
	out := slices.DeleteFunc(d.Changes, func(c value.Change) bool {
		return value.IsIgnored(c.Path, ignore) || c.Kind == value.Delete && serverKeeps(res, c.Path)
	})
	slices.SortStableFunc(out, func(a, b value.Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// isEqual reports whether two values of an input mean the same to the world: by
// the @equal rule of the property, or as a set.
func (rt *Runtime) isEqual(ctx context.Context, res *plan.Resource, ref recorded.Ref, m *value.Member, old, new property.Value) bool {
	if m.EqualExpr != nil {
		return rt.equalByTemplate(ctx, res, ref, m, old, new)
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
		return value.EqualJSON(a, b, rt.program.MaxValues())
	default:
		return false
	}
}

// equalByTemplate evaluates an @equal template over old and new. A template
// that fails for these values does not call them equal.
func (rt *Runtime) equalByTemplate(ctx context.Context, res *plan.Resource, ref recorded.Ref, m *value.Member, old, new property.Value) bool {
	if m.EqualRule == nil || old.IsNull() || new.IsNull() {
		return false
	}
	r := rt.New(ctx, res, nil, plan.Update, ref, nil)
	r.Vars.Values["old"] = m.Check.Plain(old, []string{"old"}, r.Secrets)
	r.Vars.Values["new"] = m.Check.Plain(new, []string{"new"}, r.Secrets)
	v, err := r.Eval(m.EqualRule)
	return err == nil && v == true && !expr.HasUnknown(v)
}

// serverKeeps reports whether the path is a property that the server may choose
// (it is an input and an output of one type): taking it out of the program is
// no change.
func serverKeeps(res *plan.Resource, path string) bool {
	in, out := res.Inputs.ByName[path], res.Outputs.ByName[path]
	return in != nil && out != nil && in.Type.Kind == out.Type.Kind && in.Default == nil
}

// changedInputs are the top-level inputs that differ, with their new values;
// null where removed.
func ChangedInputs(r *Run, res *plan.Resource, changes []value.Change) map[string]any {
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
