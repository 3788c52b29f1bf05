package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/lookup"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
)

// previewState returns the state that an operation will leave, as far as it is known. It runs the
// steps that may run in a preview; what depends on the others is unknown.
func (r *run) previewState(ctx context.Context, old recorded.State) Result {
	if err := r.Steps(ctx); err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	r.Vars.Values["result"] = plan.Last(r.Results)
	values := map[string]property.Value{}
	for _, m := range r.Resource.Outputs.Fields {
		values[m.Name] = property.New(property.Computed).WithSecret(m.IsSecret())
	}
	if old.ID != "" {
		if r.Operation.Return != nil {
			outputs.Preview(r.Run, values)
		}
		for _, m := range r.Resource.Outputs.Fields {
			if recorded, ok := old.Outputs.GetOk(m.Name); ok && m.Stable {
				values[m.Name] = recorded
			}
		}
	}
	// Before the create, the id and outputs are unknown, so that a function which is given one of
	// them waits, and does not ask for an object that does not exist.
	return Result{State: &recorded.State{ID: old.ID, Inputs: old.Inputs, Outputs: recorded.WithInputs(old.Inputs, values)}}
}

// buildOutputs returns the outputs after a create or update: those in the value of the operation,
// or, if that lacks a required output, those of a read, or, without a read, the recorded ones.
func (r *run) buildOutputs(ctx context.Context, before map[string]property.Value) (map[string]property.Value, error) {
	yield, err, unread := any(nil), error(nil), r.isUnseen() || r.misnamed != "" || operation.HasUnasked(r.Run)
	if !operation.SkippedWhole(r.Run) && r.misnamed == "" {
		yield, err = r.Return(r.Operation)
	}
	if err != nil && !unread {
		return nil, err
	} else if err != nil {
		yield = nil // read tells what it can
	}
	// The next change may need an ETag that only a read gives.
	unread = unread || (r.ETags == "" || r.Untagged) && r.Resource.Conditional
	// Without the server's value, no later read could tell what it has made of the program's.
	unread = !r.takeServerValues(yield, r.Mask()) || unread || r.Verb == plan.Create && r.Resource.Unproven
	if len(r.Resource.Outputs.Fields) == 0 && !unread {
		return nil, nil // the resource has no outputs
	}
	m := r.Mask()
	got, err := r.Resource.Outputs.Project(yield, m)
	outputs.KeepUnread(r.Resource, &got, before, false)
	if err == nil && len(got.Missing) == 0 && yield != nil && !unread && !(r.untold && r.HasIDSources(plan.Last(r.Results) != nil)) {
		return got.Values, nil
	}
	if r.Resource.Read == nil {
		return got.Values, cmp.Or(err, outputs.FillMissing(r.Run, got, before, yield))
	}
	seen, err := r.readBack(ctx, got.Values)
	if err != nil && len(seen) == 0 {
		return got.Values, err
	}
	return seen, err
}

// takeServerValues records what the server has made of the inputs with @normalised(), if the value
// of an operation has them. It returns false if that lacks one of them.
func (r *run) takeServerValues(yield any, m *screen.Mask) (whole bool) {
	r.server, whole = outputs.ServerValues(r.Run, yield, m)
	return whole
}

// readBack reads a resource that was just created or updated. If read does not find it, readBack
// tries again for as long as the spec's `consistency` says, and then returns an error: the
// resource never counts as gone.
func (r *run) readBack(ctx context.Context, made map[string]property.Value) (map[string]property.Value, error) {
	limit, err := r.Duration(r.Resource.Consistency, lookup.DefaultConsistency)
	if err != nil {
		return nil, err
	}
	var values map[string]property.Value
	var missing error
	err = stop.Until(ctx, limit, func() { r.Log.Status("waiting until it can be read") }, func() (bool, error) {
		reader := r.res.NewReading(ctx)
		reader.Env = r.Env
		reader.Secrets.Values = append(reader.Secrets.Values, r.Secrets.Values...)
		reader.SetInputs(r.Given)
		reader.SetState(recorded.State{Inputs: r.Given, Outputs: property.NewMap(made), Private: recorded.Private{Unmade: operation.UnmadeSteps(r.Run, r.resumed, nil)}})
		reader.TakeID(r.ID)
		yield, err := reader.Read(ctx)
		if errors.Is(err, verdict.ErrGone) || errors.Is(err, verdict.ErrNotFound) {
			missing = err
			return false, nil
		}
		missing = nil
		if err == nil {
			r.ETags = reader.ETagsOf(ctx, r.Given, yield)
			r.takeServerValues(yield, reader.Mask())
			values, err = reader.OutputsOf(r.Run, yield, made)
		}
		if err != nil {
			err = reader.Mask().Error(fmt.Errorf("reading it back: %w", err))
		}
		return true, err
	})
	if err == nil && missing != nil {
		return nil, outputs.UnreadableError(r.Run, r.untold, limit, missing)
	}
	return values, err
}

// newState returns the state of a resource that the run has created.
func (r *run) newState(outputs map[string]property.Value) *recorded.State {
	return &recorded.State{
		ID: r.ID, Inputs: r.Given, Outputs: recorded.WithInputs(r.Given, outputs),
		Private: recorded.Private{SchemaVersion: r.Resource.Spec.SchemaVersion, ETags: r.ETags, Token: r.Token},
	}
}
