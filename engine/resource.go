package engine

import (
	"context"

	"github.com/declprov/declprov/engine/run"
)

// Create makes a resource. The result has a state without an error when it
// worked; an error without a state when nothing is left of the attempt; and both
// when something was made and is not as it should be: the next run goes on from
// there.
func (e *Engine) Create(ctx context.Context, req run.CreateRequest) run.Result {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return run.Result{Err: err}
	}
	return e.states(res, req.Ref).locate(e.resources.Create(ctx, res, req))
}

// Read looks how a resource is in the world. Gone says that there is nothing.
func (e *Engine) Read(ctx context.Context, req run.ReadRequest) run.Result {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return run.Result{Err: err}
	}
	states := e.states(res, req.Ref)
	state, err := states.toRead(ctx, req)
	if err != nil {
		return run.Result{Err: err}
	}
	return states.read(ctx, state, req)
}

// Update changes a resource. Where an earlier operation stopped halfway and the
// inputs are the same, it goes on there. An error without a state means that
// nothing was changed.
func (e *Engine) Update(ctx context.Context, req run.UpdateRequest) run.Result {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return run.Result{Err: err}
	}
	states := e.states(res, req.Ref)
	state, err := states.recorded(ctx, req.State)
	if err == nil {
		err = states.checkLocation(state)
	}
	if err != nil {
		return run.Result{Err: err}
	}
	out := states.locate(e.resources.Update(ctx, res, state, req))
	states.warnOfOther(state, out, req)
	return out
}

// Delete removes a resource. That it, or a part of it, is gone already is a
// success. A resource without a delete is only forgotten.
func (e *Engine) Delete(ctx context.Context, req run.DeleteRequest) error {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return err
	}
	states := e.states(res, req.Ref)
	state, err := states.recorded(ctx, req.State)
	switch {
	case res.Delete == nil:
		if err == nil { // a state that cannot be read is forgotten, too
			e.resources.Forget(res, state, req)
		}
		return nil
	case err != nil:
		return err
	}
	if err := states.checkLocation(state); err != nil {
		return err
	}
	return e.resources.Delete(ctx, res, state, req)
}
