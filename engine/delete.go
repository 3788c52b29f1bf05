package engine

import (
	"context"

	"github.com/declprov/declprov/engine/plan"
)

// orphaned reports whether a step of a delete is made of the answer of one that
// found nothing: waiting for the end of a delete that was not begun. One with an
// `if` decides for itself.
func (r *run) orphaned(s *plan.Step) bool {
	if r.verb != plan.Delete || s.When != nil || s.Index == 0 {
		return false
	}
	before := r.op.Steps[:s.Index]
	named := plan.Wanting{Named: map[string]*plan.Step{}}
	for _, b := range before {
		named.Named[b.Model.As] = b
	}
	for _, v := range s.Templates() {
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			of, _ := named.Of(before, ref.Path)
			if of != nil && of.When == nil && of.ForEach == nil && r.results[of.Index] == nil {
				return true
			}
		}
	}
	return false
}

// Delete removes a resource. That it, or a part of it, is gone already is a
// success. A resource without a delete is only forgotten.
func (e *Engine) Delete(ctx context.Context, req DeleteRequest) error {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return err
	}
	if res.Delete == nil {
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
	if err := completeFor(res, state, plan.Delete); err != nil {
		return err
	}
	r := e.newRun(ctx, res, res.Delete, plan.Delete, req.Ref, req.Log)
	r.recall(state)
	r.etag = state.Private.ETag
	if err := r.open(); err != nil {
		return err
	}
	if err = r.steps(ctx); err == nil {
		// What is to be removed may be on the pages that were left out.
		err = r.notOnPages(r.op.Steps...)
	}
	if err == nil {
		e.tokens.forget(objectOf(res, state), state.Private.Token)
		r.mention(e.settleDeleted(res, req.Ref, state, r.missed))
		r.tellLeft(state)
	}
	return r.Mask().Error(err) // with the secrets that the steps have seen
}
