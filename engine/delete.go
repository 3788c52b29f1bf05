package engine

import "context"

// Delete removes a resource. That it, or a part of it, is gone already is a
// success. A resource without a delete is only forgotten.
func (e *Engine) Delete(ctx context.Context, req DeleteRequest) error {
	res, err := e.program.resource(req.Type)
	if err != nil {
		return err
	}
	if res.delete == nil {
		return nil
	}
	state, err := e.upgrade(res, req.State)
	if err != nil {
		return err
	}
	e.settleRecorded(res, req.Ref, state)
	r := e.newRun(res, res.delete, remove, req.Ref, req.Log)
	r.inputs(state.Inputs)
	r.state(state)
	r.takeID(currentID(state))
	r.etag = state.Private.ETag
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := r.open(); err != nil {
		return err
	}
	return r.mask().error(r.steps(ctx, 0))
}
