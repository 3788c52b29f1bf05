package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// reading is a run of `read`.
type reading struct {
	*operation.Run
	res resource
}

// reading returns a run of the resource's `read` for a state.
func (res resource) reading(ctx context.Context, s recorded.State) reading {
	r := reading{res.all.New(ctx, res.Resource, res.Read, plan.Read, res.ref, res.log), res}
	r.Recall(s)
	return r
}

// read runs the steps of `read` and returns its value, and verdict.ErrGone if there is no object.
func (r reading) read(ctx context.Context) (any, error) {
	if err := r.Steps(ctx); err != nil {
		if errors.Is(err, verdict.ErrNotFound) && r.Failed == 0 {
			return nil, verdict.ErrGone
		}
		if errors.Is(err, verdict.ErrGone) {
			err = cmp.Or(r.NotOnPages(r.Operation.Steps[r.Failed]), err)
		}
		return nil, err
	}
	yield, err := r.Return(r.Operation)
	if err != nil {
		return nil, err
	}
	if yield != nil {
		return yield, nil
	}
	if r.Operation.Return != nil {
		return nil, cmp.Or(r.NotOnPages(r.Operation.Steps...), verdict.ErrGone)
	}
	return nil, errors.New("read yields nothing; say with `return` what it means, or that null is gone")
}

// readPastMissing continues a read after the step that found nothing, and returns its value. What
// depends on a step that found nothing is unknown in it. It returns nil if no step found
// anything, or if all steps ran and `return` is null.
func (r reading) readPastMissing(ctx context.Context) (any, error) {
	if len(r.Results) == len(r.Operation.Steps) {
		return nil, nil
	}
	missing := r.Operation.Steps[r.Failed]
	if err := r.NotOnPages(missing); err != nil {
		return nil, err
	}
	r.Record(missing, expr.Unknown{})
	found := r.Failed > 0
	for _, s := range r.Operation.Steps[r.Failed+1:] {
		err := r.Step(ctx, s)
		switch {
		case err == nil:
			found = true
			continue
		case errors.Is(err, verdict.ErrGone), errors.Is(err, verdict.ErrNotFound):
			err = r.NotOnPages(s)
		case errors.Is(err, scope.ErrNotKnown): // its arguments need what an earlier step did not find
			err = nil
		}
		if err != nil {
			return nil, err
		}
		r.Record(s, expr.Unknown{})
	}
	if !found {
		return nil, nil
	}
	return r.Return(r.Operation)
}

// state returns the old state, updated by the value of a read.
func (r reading) state(old recorded.State, yield any, importing bool) Result {
	m := r.Mask()
	got, lost := r.Resource.Outputs.Project(yield, m)
	outputs.KeepUnread(r.Resource, &got, old.Outputs.AsMap(), true)
	got.Missing = slices.DeleteFunc(got.Missing, func(name string) bool { return r.Resource.Outputs.ByName[name].NoRead })
	if lost == nil && len(got.Missing) > 0 {
		lost = outputs.MissingError(r.Run, "read yields", got.Missing, yield)
	}
	inputs, lostInputs := r.inputs(old, yield, importing)
	if all, changed := r.Resource.Inputs.Seal(property.New(inputs)); changed {
		inputs = all.AsMap() // the spec may have declared it secret since then
	}
	lost = errors.Join(lost, lostInputs)
	// A managed resource stays managed without the values that cannot be recorded; an import
	// fails.
	if lost != nil && (importing || !value.IsUnrecordable(lost)) {
		return Result{Err: m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, lost))}
	}
	for name, value := range got.Values {
		got.Values[name] = recorded.CopySecrecy(value, old.Outputs.Get(name))
	}
	private := old.Private
	private.ETag = r.ETag
	private.SchemaVersion = r.Resource.Spec.SchemaVersion // an import has none yet
	if f := private.Failed; f != nil && f.Op == string(plan.Update) {
		seen := *f
		seen.Seen = true // from now on what differs is known
		private.Failed = &seen
	}
	found, err := r.identify(old, recorded.State{Inputs: inputs, Outputs: recorded.WithInputs(inputs, got.Values), Private: private})
	if err != nil {
		return Result{Err: m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, err))}
	}
	if lost != nil {
		lost = m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, lost))
	}
	return Result{State: &found, Err: lost}
}

// inputs returns the recorded inputs, updated by the value of a read. Inputs that mean the same as
// before keep their recorded value.
func (r reading) inputs(old recorded.State, yield any, importing bool) (property.Map, error) {
	inputs := old.Inputs
	found, err := r.Resource.Inputs.Project(yield, r.Mask())
	if err != nil && !value.IsUnrecordable(err) {
		return inputs, err
	}
	written := old.Private.Written.Values(r.Resource)
	for _, m := range r.Resource.Inputs.Fields {
		recorded, given := old.Inputs.GetOk(m.Name)
		shown, there := found.Values[m.Name]
		wrote, wasWritten := written[m.Name]
		// The server may choose the value of a property that is an input and an output. It
		// counts as an input only if the program has set it.
		chosen := !importing && !given && !wasWritten && r.Resource.Outputs.ByName[m.Name] != nil
		switch {
		case slices.Contains(found.Lost, m.Name):
			// It keeps its recorded value.
		case wasWritten && r.res.rules().Read().IsSame(r.Vars.Context, m, wrote.Server, shown):
			inputs = wrote.Restore(inputs, m.Name)
		case given != there && r.res.rules().Read().IsSame(r.Vars.Context, m, recorded, shown):
			// One of them is empty, and the other is absent.
		case m.NoRead || m.Ephemeral || chosen:
			if importing && !given && m.Default != nil {
				inputs = inputs.Set(m.Name, m.Fallback)
			}
		case !there && (m.Required || r.Resource.Identity.Determines(m.Name) && given):
			// It cannot be unset, or the id gives it: it keeps its recorded value.
		case !there && meansDefault(m, given, importing):
			inputs = inputs.Set(m.Name, m.Fallback)
		case !there:
			inputs = inputs.Delete(m.Name)
		case given && (value.PlainEqual(recorded, shown) || r.res.rules().Read().IsSame(r.Vars.Context, m, recorded, shown)):
		default:
			inputs = inputs.Set(m.Name, shown.WithSecret(shown.Secret() || recorded.HasSecrets()))
		}
	}
	return inputs, err
}

// meansDefault reports whether a property that a response does not have has its default. If the
// property was not recorded, the spec has got it since the last write, and the next update sends it.
func meansDefault(m *value.Member, recorded, importing bool) bool {
	return m.Default != nil && (recorded || importing)
}

// idOf returns the id that the response of a read gives a resource with the inputs that were
// read, "" if it gives none.
func (r reading) idOf(inputs property.Map) string {
	if !r.Resource.Identity.Follows {
		return ""
	}
	of := r.Resource.Identity
	if of.Answered && r.Operation.Return == nil && len(of.OfInputs) == 0 || !of.Answered && r.areUnchanged(of.OfInputs, inputs) {
		return r.EvalPublicID() // of what is in scope already
	}
	before := r.Vars
	defer func() { r.Vars = before }()
	var found []string
	answers := []any{nil}
	if of.Answered {
		answers = r.responsesForID()
	}
	for _, answer := range answers {
		vars := *before
		vars.Values = maps.Clone(before.Values)
		r.Vars = &vars
		r.SetInputs(inputs)
		if s := plan.Last(r.Operation.Steps); s != nil && answer != nil {
			r.SetResult(s, answer)
		}
		if id := r.EvalPublicID(); id != "" && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	if len(found) == 2 && r.ID != "" {
		return "" // the response and the value of read lead to different ids
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// identify returns the state that a read found with its id: the one that the read gives, else the
// one that it had.
func (r reading) identify(old recorded.State, found recorded.State) (recorded.State, error) {
	found.ID = r.idOf(found.Inputs)
	if found.ID == "" {
		found.ID = recorded.CurrentID(old)
	}
	found.Private.ID = ""
	if found.ID == "" {
		return found, errors.New("cannot determine its id: neither the import ID nor the result of `read` contains it")
	}
	return found, nil
}

// areUnchanged reports whether inputs have their recorded values.
func (r reading) areUnchanged(names []string, inputs property.Map) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		v, given := inputs.GetOk(name)
		return !given || v.IsNull() || !v.Equals(r.Before.Get(name))
	})
}

// responsesForID returns what stands for the response of the create after a read: the response of
// the read, and the same with the value of the read as its body.
func (r reading) responsesForID() []any {
	raw := r.Vars.Values["result"]
	s := plan.Last(r.Operation.Steps)
	yield, err := r.PlainReturn(r.Operation)
	if s == nil || err != nil || yield == nil || s.ForEach != nil {
		return []any{raw}
	}
	return []any{raw, s.WithYield(yield, raw)}
}

// warnOtherID warns of a refresh that found another id although read does not ask for the recorded
// one: what it found may be another object in the place of the recorded one.
func (r reading) warnOtherID(old, now string) {
	if old == now || old == "" {
		return
	}
	if r.Operation.RefersToState() {
		return
	}
	r.Log.Message(operation.Warning, fmt.Sprintf("its id was %q and is %q now. Read asks neither for the id nor for what was recorded, so this may be another object, in the place of yours; "+
		"if somebody else owns it, run `pulumi state delete '%s'` before you update or destroy it", old, now, r.res.ref.Key))
}
