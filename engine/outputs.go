package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// defaultConsistency is how long a resource that was just made may stay
// invisible to read, where the spec does not say.
const defaultConsistency = 10 * time.Second

// outputs are what the world gave after a create or update: what the operation
// yields, or, where that lacks a required output, what read does, or, where there
// is none, what was known before an update.
func (e *Engine) outputs(
	ctx context.Context, r *run, ref Ref, inputs property.Map, before map[string]property.Value,
) (map[string]property.Value, error) {
	yield, err := r.Return(r.op)
	if err != nil {
		return nil, err
	}
	// The next change may need an ETag that only a read gives.
	untagged := r.etag == "" && r.res.Conditional
	if len(r.res.Outputs.Fields) == 0 && !untagged {
		return nil, nil // whatever came, nobody asked for it
	}
	m := r.Mask()
	got, err := r.res.Outputs.Project(yield, m)
	if err == nil && len(got.Missing) == 0 && yield != nil && !untagged && !(r.untold && r.hasID()) {
		return got.Values, nil
	}
	if r.res.Read == nil {
		return got.Values, cmp.Or(err, r.fillIn(got, before, yield))
	}
	seen, err := e.readBack(ctx, r, ref, inputs, got.Values)
	if err != nil && len(seen) == 0 {
		return got.Values, err
	}
	return seen, err
}

// fillIn completes what an operation yields by what is recorded; what nobody
// knows is an error.
func (r *run) fillIn(got value.Projection, before map[string]property.Value, yield any) error {
	for _, name := range got.Missing {
		v, ok := before[name]
		if !ok {
			return r.lacks(fmt.Sprintf("%s has no read, and %s gives", r.res.Spec.Name, r.verb), []string{name}, yield)
		}
		got.Values[name] = v
	}
	return nil
}

// readBack reads a resource that was just made or changed. Not found is tried
// again for as long as the spec's `consistency` says, and never taken as gone.
func (e *Engine) readBack(ctx context.Context, r *run, ref Ref, inputs property.Map, outputs map[string]property.Value) (map[string]property.Value, error) {
	limit, err := r.Duration(r.res.Consistency, defaultConsistency)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(limit)
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		left := time.Until(deadline)
		reader := e.newRun(ctx, r.res, r.res.Read, plan.Read, ref, r.log.to)
		reader.env = r.env
		reader.Secrets.Values = append(reader.Secrets.Values, r.Secrets.Values...)
		reader.inputs(inputs)
		reader.state(State{Inputs: inputs, Outputs: property.NewMap(outputs), Private: Private{Unmade: r.unmadeNow(nil)}})
		reader.takeID(r.id)
		yield, err := reader.look(ctx)
		if err == nil {
			r.etag = reader.etag
			got, err := r.res.Outputs.Project(yield, reader.Mask())
			if err == nil && len(got.Missing) > 0 {
				err = reader.lacks("read yields", got.Missing, yield)
			}
			if err != nil {
				err = fmt.Errorf("reading it back: %w", reader.Mask().Error(err))
			}
			return got.Values, err
		}
		if !errors.Is(err, errGone) && !errors.Is(err, errNotFound) {
			return nil, reader.Mask().Error(fmt.Errorf("reading it back: %w", err))
		}
		if left <= 0 {
			return nil, r.unread(limit, err)
		}
		r.log.Status("waiting until it can be read")
		if err := wait(ctx, min(delay, max(0, time.Until(deadline)))); err != nil {
			return nil, err
		}
	}
}

// unread is the failure of an operation that was done, and after which read finds
// nothing: somebody has deleted the object, or it may stay unseen for longer than the
// spec says. The state keeps it, so that a refresh can tell.
func (r *run) unread(limit time.Duration, err error) error {
	did := "made"
	if r.verb == plan.Update {
		did = "changed"
	}
	if r.untold {
		return fmt.Errorf("it was %s, but read does not find it, %s later (the spec's `consistency`), and no response tells whether it has another id now: %w; %s",
			did, limit, err, r.underItsNewName())
	}
	return fmt.Errorf("it was %s, but read does not find it, %s later (the spec's `consistency`): %w; "+
		"if it was deleted, run `pulumi refresh`: the next `pulumi up` makes it again; else `pulumi up` looks again", did, limit, err)
}

// look runs a read and yields what it saw; errGone where there is nothing.
func (r *run) look(ctx context.Context) (any, error) {
	if err := r.steps(ctx); err != nil {
		if errors.Is(err, errNotFound) && r.failed == 0 {
			return nil, errGone
		}
		if errors.Is(err, errGone) {
			err = cmp.Or(r.notOnPages(r.op.Steps[r.failed]), err)
		}
		return nil, err
	}
	yield, err := r.Return(r.op)
	if err != nil {
		return nil, err
	}
	if yield != nil {
		return yield, nil
	}
	if r.op.Return != nil {
		return nil, cmp.Or(r.notOnPages(r.op.Steps...), errGone)
	}
	return nil, errors.New("read yields nothing; say with `return` what it means, or that null is gone")
}

// previewed is the state that an operation will leave, as far as it is known:
// steps that may run in a preview run, what depends on the others is computed.
func (r *run) previewed(ctx context.Context, old State) Result {
	if err := r.steps(ctx); err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	r.Vars.Values["result"] = plan.Last(r.results)
	values := map[string]property.Value{}
	for _, m := range r.res.Outputs.Fields {
		values[m.Name] = property.New(property.Computed).WithSecret(m.Secret)
	}
	if r.op.Return != nil && old.ID != "" {
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
	return Result{State: &State{ID: old.ID, Inputs: old.Inputs, Outputs: withInputs(old.Inputs, values)}}
}

// previewReturn fills in what of `return` can be told beforehand.
func (r *run) previewReturn(values map[string]property.Value) {
	yield, err := r.Return(r.op)
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
