package engine

import "context"

// orphaned reports whether a step of a delete is made of the answer of one that
// found nothing: waiting for the end of a delete that was not begun. One with an
// `if` decides for itself.
func (r *run) orphaned(s *step) bool {
	if r.verb != remove || s.when != nil || s.index == 0 {
		return false
	}
	before := r.op.steps[:s.index]
	named := wanting{named: map[string]*step{}}
	for _, b := range before {
		named.named[b.model.As] = b
	}
	for _, v := range s.templates() {
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			of, _ := named.of(before, ref.Path)
			if of != nil && of.when == nil && of.forEach == nil && r.results[of.index] == nil {
				return true
			}
		}
	}
	return false
}

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
	state, err := e.recorded(ctx, res, req.Ref, req.State)
	if err != nil {
		return err
	}
	if e.superseded(res, state, req.Log) {
		return nil
	}
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := e.relocateAll(ctx, res, req.Ref, &state, req.Log); err != nil {
		return err
	}
	if err := completeFor(res, state, remove); err != nil {
		return err
	}
	r := e.newRun(ctx, res, res.delete, remove, req.Ref, req.Log)
	r.recall(state)
	r.etag = state.Private.ETag
	if err := r.open(); err != nil {
		return err
	}
	if err = r.steps(ctx); err == nil {
		// What is to be removed may be on the pages that were left out.
		err = r.notOnPages(r.op.steps...)
	}
	if err == nil {
		e.tokens.forget(objectOf(res, state), state.Private.Token)
		r.mention(e.settleDeleted(res, req.Ref, state, r.missed))
		r.tellLeft(state)
	}
	return r.mask().Error(err) // with the secrets that the steps have seen
}
