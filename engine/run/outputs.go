package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// listMembers lists the members of a response, for an error about one that it lacks; ""
// where it is no object, or secret as a whole.
func listMembers(v any) string {
	members, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	if len(members) == 0 {
		return "; it has no members"
	}
	const most, longest = 10, 40
	var names []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(members)-most))
			break
		}
		names = append(names, value.WireArgument(actions.Clip(name, longest)))
	}
	return "; it has: " + strings.Join(names, ", ")
}

// missingError is the error of a yield without outputs that are required: where they are
// declared, and what there is instead.
func (r *Run) missingError(what string, missing []string, yield any) error {
	var places []string
	for _, name := range missing {
		if p := r.res.Spec.Outputs.Field(name); p != nil && !p.Range.IsZero() {
			name += fmt.Sprintf(" (%s)", p.Range)
		}
		places = append(places, name)
	}
	has := listMembers(yield)
	if has != "" {
		has += fmt.Sprintf(". If it is there under another name, declare that: `%s: … @wire(NAME)`; else make it optional", missing[0])
	}
	return fmt.Errorf("%s no %s%s", what, diag.And(places), has)
}

// fillMissing completes what an operation yields by what is recorded; what nobody
// knows is an error.
func (r *Run) fillMissing(got value.Projection, before map[string]property.Value, yield any) error {
	for _, name := range got.Missing {
		v, ok := before[name]
		if !ok {
			return r.missingError(fmt.Sprintf("%s has no read, and %s gives", r.res.Spec.Name, r.Verb), []string{name}, yield)
		}
		got.Values[name] = v
	}
	return nil
}

// notReadableError is the failure of an operation that was done, and after which read finds
// nothing: somebody has deleted the object, or it may stay unseen for longer than the
// spec says. The state keeps it, so that a refresh can tell.
func (r *Run) notReadableError(limit time.Duration, err error) error {
	did := "made"
	if r.Verb == plan.Update {
		did = "changed"
	}
	if r.untold {
		return fmt.Errorf("it was %s, but read does not find it, %s later (the spec's `consistency`), and no response tells whether it has another id now: %w; %s",
			did, limit, err, r.newNameRemedy())
	}
	return fmt.Errorf("it was %s, but read does not find it, %s later (the spec's `consistency`): %w; "+
		"if it was deleted, run `pulumi refresh`: the next `pulumi up` makes it again; else `pulumi up` looks again", did, limit, err)
}

// read runs a read and yields what it saw; verdict.ErrGone where there is nothing.
func (r *Run) read(ctx context.Context) (any, error) {
	if err := r.Steps(ctx); err != nil {
		if errors.Is(err, verdict.ErrNotFound) && r.failed == 0 {
			return nil, verdict.ErrGone
		}
		if errors.Is(err, verdict.ErrGone) {
			err = cmp.Or(r.notOnPages(r.Operation.Steps[r.failed]), err)
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
		return nil, cmp.Or(r.notOnPages(r.Operation.Steps...), verdict.ErrGone)
	}
	return nil, errors.New("read yields nothing; say with `return` what it means, or that null is gone")
}

// previewState is the state that an operation will leave, as far as it is known:
// steps that may run in a preview run, what depends on the others is computed.
func (r *Run) previewState(ctx context.Context, old recorded.State) Result {
	if err := r.Steps(ctx); err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	r.Vars.Values["result"] = plan.Last(r.results)
	values := map[string]property.Value{}
	for _, m := range r.res.Outputs.Fields {
		values[m.Name] = property.New(property.Computed).WithSecret(m.Secret)
	}
	if r.Operation.Return != nil && old.ID != "" {
		r.previewReturn(values)
	}
	if old.ID != "" {
		for _, m := range r.res.Outputs.Fields {
			if recorded, ok := old.Outputs.GetOk(m.Name); ok && m.Stable {
				values[m.Name] = recorded
			}
		}
	}
	// What is yet to be made has no id, and no outputs: whoever is given one of
	// them waits for it, and does not ask the world for what is not there.
	return Result{State: &recorded.State{ID: old.ID, Inputs: old.Inputs, Outputs: recorded.WithInputs(old.Inputs, values)}}
}

// previewReturn fills in what of `return` can be told beforehand.
func (r *Run) previewReturn(values map[string]property.Value) {
	yield, err := r.Return(r.Operation)
	if err != nil {
		return // what fails on unknowns is unknown
	}
	object, ok := yield.(map[string]any)
	if !ok {
		return
	}
	for name, v := range object {
		m := r.res.Outputs.ByName[name]
		if m == nil || v == nil || expr.HasUnknown(v) {
			continue
		}
		if value, err := m.Check.FromPlain(v, name, r.Mask()); err == nil {
			values[name] = value.WithSecret(value.Secret() || m.Secret)
		}
	}
}

// partialOutputs are the outputs of a create that stopped, as far as what its
// steps have answered says them: what `return` makes of it, or what the last step
// answered, where that is the one that failed.
func (r *Run) partialOutputs(m *screen.Mask) map[string]property.Value {
	if r.Operation.Return == nil && r.failed < len(r.Operation.Steps)-1 {
		return nil // the last step, which would have said them, did not run
	}
	before := r.Vars.Values
	r.Vars.Values = maps.Clone(before)
	defer func() { r.Vars.Values = before }()
	for _, s := range r.Operation.Steps[min(r.failed, len(r.Operation.Steps)):] {
		var answer any = expr.Unknown{}
		if t := plan.Last(r.touched); t != nil && t.answer != nil && t.step == s && s.ForEach == nil && s.Index == r.failed {
			answer = t.answer
		}
		r.SetResult(s, answer)
	}
	yield, err := r.Return(r.Operation)
	if err != nil {
		return nil
	}
	members, _ := yield.(map[string]any)
	known := map[string]any{}
	for name, v := range members {
		if !expr.HasUnknown(v) {
			known[name] = v
		}
	}
	out, _ := r.res.Outputs.Project(known, m)
	return out.Values
}

// buildOutputs are what the world gave after a create or update: what the operation
// yields, or, where that lacks a required output, what read does, or, where there
// is none, what was known before an update.
func (r *Run) buildOutputs(ctx context.Context, inputs property.Map, before map[string]property.Value) (map[string]property.Value, error) {
	yield, err := r.Return(r.Operation)
	if err != nil {
		return nil, err
	}
	// The next change may need an ETag that only a read gives.
	untagged := r.ETag == "" && r.res.Conditional
	if len(r.res.Outputs.Fields) == 0 && !untagged {
		return nil, nil // whatever came, nobody asked for it
	}
	m := r.Mask()
	got, err := r.res.Outputs.Project(yield, m)
	if err == nil && len(got.Missing) == 0 && yield != nil && !untagged && !(r.untold && r.hasIDSources()) {
		return got.Values, nil
	}
	if r.res.Read == nil {
		return got.Values, cmp.Or(err, r.fillMissing(got, before, yield))
	}
	seen, err := r.readBack(ctx, inputs, got.Values)
	if err != nil && len(seen) == 0 {
		return got.Values, err
	}
	return seen, err
}

// readBack reads a resource that was just made or changed. Not found is tried
// again for as long as the spec's `consistency` says, and never taken as gone.
func (r *Run) readBack(ctx context.Context, inputs property.Map, outputs map[string]property.Value) (map[string]property.Value, error) {
	limit, err := r.Duration(r.res.Consistency, defaultConsistency)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(limit)
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		left := time.Until(deadline)
		reader := r.rt.New(ctx, r.res, r.res.Read, plan.Read, r.ref, r.Log.To)
		reader.env = r.env
		reader.Secrets.Values = append(reader.Secrets.Values, r.Secrets.Values...)
		reader.SetInputs(inputs)
		reader.SetState(recorded.State{Inputs: inputs, Outputs: property.NewMap(outputs), Private: recorded.Private{Unmade: r.unmadeNow(nil)}})
		reader.TakeID(r.id)
		yield, err := reader.read(ctx)
		if err == nil {
			r.ETag = reader.ETag
			got, err := r.res.Outputs.Project(yield, reader.Mask())
			if err == nil && len(got.Missing) > 0 {
				err = reader.missingError("read yields", got.Missing, yield)
			}
			if err != nil {
				err = fmt.Errorf("reading it back: %w", reader.Mask().Error(err))
			}
			return got.Values, err
		}
		if !errors.Is(err, verdict.ErrGone) && !errors.Is(err, verdict.ErrNotFound) {
			return nil, reader.Mask().Error(fmt.Errorf("reading it back: %w", err))
		}
		if left <= 0 {
			return nil, r.notReadableError(limit, err)
		}
		r.Log.Status("waiting until it can be read")
		if err := stop.Wait(ctx, min(delay, max(0, time.Until(deadline)))); err != nil {
			return nil, err
		}
	}
}
