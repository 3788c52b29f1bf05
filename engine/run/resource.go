package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Create makes a resource. The result has a state without an error when it
// worked; an error without a state when nothing is left of the attempt; and both
// when something was made and is not as it should be: the next run goes on from
// there.
func (rt *Runtime) Create(ctx context.Context, res *plan.Resource, req CreateRequest) Result {
	r := rt.New(ctx, res, res.Create, plan.Create, req.Ref, req.Log)
	r.preview = req.Preview
	r.SetInputs(req.Inputs)
	r.given = req.Inputs
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := r.Open(); err != nil {
		return Result{Err: err}
	}
	if err := r.precheckID(); err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	if req.Preview {
		return r.previewState(ctx, recorded.State{Inputs: req.Inputs})
	}
	r.token = rt.Tokens.Next()
	out, settled := rt.settleEarlier(ctx, r)
	if !settled {
		out = r.finishCreate(ctx, req.Inputs)
	}
	if out.State != nil {
		rt.Tokens.Show(recorded.ObjectOf(res, *out.State), req.Ref, r.token)
	}
	r.hand(out)
	return out
}

// finishCreate runs what is still to be done of a create, and makes the state of
// whatever comes of it.
func (r *Run) finishCreate(ctx context.Context, inputs property.Map) Result {
	err := r.Steps(ctx)
	if err != nil {
		return r.afterFailure(ctx, inputs, err)
	}
	if r.id == "" {
		r.failed = len(r.Operation.Steps)
		return r.afterFailure(ctx, inputs, r.missingIDError())
	}
	outputs, err := r.buildOutputs(ctx, inputs, nil)
	state := r.newState(inputs, outputs)
	state.Private.Unmade = r.unmadeNow(nil)
	if err != nil {
		state.Private.Failed = r.newFailed(inputs, len(r.Operation.Steps), err)
	}
	return Result{State: state, Err: r.Mask().Error(err)}
}

// Read looks how a resource is in the world. Gone says that there is nothing.
func (rt *Runtime) Read(ctx context.Context, res *plan.Resource, state recorded.State, req ReadRequest) Result {
	if res.Read == nil {
		if req.Reason == Import {
			return Result{Err: fmt.Errorf("%s cannot be imported: its spec has no read", req.Type)}
		}
		state.ID, state.Private.ID = recorded.CurrentID(state), ""
		return Result{State: &state} // what is recorded is all there is to know
	}
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if req.Reason == Refresh {
		if err := rt.relocateWithInputs(ctx, res, req.Ref, &state, req.Log); err != nil {
			return Result{Err: err}
		}
	}
	if !req.hasOnlyID() {
		if err := recorded.CheckComplete(res, state, plan.Read); err != nil {
			return Result{Err: err}
		}
	}
	r := rt.New(ctx, res, res.Read, plan.Read, req.Ref, req.Log)
	r.recall(state)
	if state.ID == "" {
		r.Vars.Values["id"] = nil // an import that does not give it
	}
	if err := r.Open(); err != nil {
		return Result{Err: err}
	}
	yield, err := r.read(ctx)
	if errors.Is(err, verdict.ErrGone) && (isPartlyUndone(state) || mayNotExistYet(res, state)) || errors.Is(err, verdict.ErrNotFound) && hasUnmadeSteps(res, state) {
		if req.Reason == Refresh {
			r.Log.Message(Info, "read does not find all of it, and it is kept for what the first steps of its create made, which stopped halfway: `pulumi up` goes on, and `pulumi destroy` removes them")
		}
		return Result{State: &state} // the next run makes it, and what is left of it stays known
	}
	if errors.Is(err, verdict.ErrGone) {
		rt.Tokens.Forget(recorded.ObjectOf(res, state), state.Private.Token)
		return Result{Gone: true}
	}
	if err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	out := rt.stateFromRead(r, req.Ref, state, yield, req.hasOnlyID())
	if out.State != nil && req.Reason == Refresh && out.Err == nil {
		r.mention(rt.closeLostUpdates(res, req.Ref, *out.State))
		r.warnOtherID(recorded.CurrentID(state), out.State.ID)
	}
	if out.State != nil {
		rt.Tokens.Show(recorded.ObjectOf(res, *out.State), req.Ref, out.State.Private.Token)
	}
	return out
}

// isPartlyUndone reports whether steps of the create that made a resource were undone,
// while others were not.
func isPartlyUndone(s recorded.State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && len(f.Undone) > 0
}

// mayNotExistYet reports whether what read asks for may not have been made yet, by a create
// that stopped behind steps with an effect: its id tells nothing of that where it is made
// of inputs alone.
func mayNotExistYet(r *plan.Resource, s recorded.State) bool {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Create) || r.Create == nil || f.Steps != r.Create.Shape() || r.IDFromAnswers() {
		return false
	}
	finished, ahead := false, false
	for i, step := range r.Create.Steps {
		done := (i < f.Step || slices.Contains(f.Kept, i)) && !slices.Contains(f.Undone, i)
		finished = finished || done && step.Effect == actions.Write
		ahead = ahead || !done && step.Effect == actions.Write
	}
	return finished && ahead
}

// hasUnmadeSteps reports whether a step of the create has made nothing, so that a later step of
// read may find nothing.
func hasUnmadeSteps(r *plan.Resource, s recorded.State) bool {
	f := s.Private.Failed
	return s.Private.Unmade != "" || f != nil && f.Op == string(plan.Create) && r.Create != nil && f.Step < len(r.Create.Steps)
}

// hasOnlyID reports whether nothing is known of a resource but its id.
func (req ReadRequest) hasOnlyID() bool {
	return req.Reason == Import || req.Reason == Lookup && req.State.Inputs.Len() == 0 && req.State.Outputs.Len() == 0
}

// Delete removes a resource. That it, or a part of it, is gone already is a
// success.
func (rt *Runtime) Delete(ctx context.Context, res *plan.Resource, state recorded.State, req DeleteRequest) error {
	if rt.skipSuperseded(res, state, req.Log) {
		return nil
	}
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := rt.relocateWithInputs(ctx, res, req.Ref, &state, req.Log); err != nil {
		return err
	}
	if err := recorded.CheckComplete(res, state, plan.Delete); err != nil {
		return err
	}
	r := rt.New(ctx, res, res.Delete, plan.Delete, req.Ref, req.Log)
	r.recall(state)
	r.ETag = state.Private.ETag
	if err := r.Open(); err != nil {
		return err
	}
	err := r.Steps(ctx)
	if err == nil {
		// What is to be removed may be on the pages that were left out.
		err = r.notOnPages(r.Operation.Steps...)
	}
	if err == nil {
		rt.Tokens.Forget(recorded.ObjectOf(res, state), state.Private.Token)
		r.mention(rt.settleDeleted(res, req.Ref, state, r.missed))
		r.tellLeft(state)
	}
	return r.Mask().Error(err) // with the secrets that the steps have seen
}

// skipSuperseded reports whether a state is that of an earlier resource than the
// object is now of, and says so.
func (rt *Runtime) skipSuperseded(res *plan.Resource, s recorded.State, log Log) bool {
	if !rt.Tokens.Superseded(recorded.ObjectOf(res, s), s.Private.Token) {
		return false
	}
	if log != nil {
		text := fmt.Sprintf("nothing is deleted: the %s %q was replaced, and its replacement has the same id", res.Spec.Name, recorded.CurrentID(s))
		log.Message(Info, screen.Show(text, nil))
	}
	return true
}
