package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Read looks up a resource. Gone reports that it does not exist.
func (rs *Resources) Read(ctx context.Context, of *plan.Resource, state recorded.State, req ReadRequest) Result {
	res := rs.resource(of, req.Ref, req.Log)
	if res.Read == nil {
		return withoutRead(state, req)
	}
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if req.Reason == Refresh {
		if err := res.relocateWithInputs(ctx, &state); err != nil {
			return Result{Err: err}
		}
	}
	if !req.hasOnlyID() {
		if err := recorded.CheckComplete(of, state, plan.Read); err != nil {
			return Result{Err: err}
		}
	}
	r := res.reading(ctx, state)
	if state.ID == "" {
		r.Vars.Values["id"] = nil // an import that does not give it
	}
	if err := r.Open(); err != nil {
		return Result{Err: err}
	}
	yield, err := r.read(ctx)
	if res.isIncomplete(state, err) {
		if req.Reason == Refresh {
			r.Log.Message(operation.Info, "read does not find all of the resource, because its create stopped halfway. The resource is kept for what its first steps made: `pulumi up` continues the create, and `pulumi destroy` removes it")
		}
		return Result{State: &state} // the next run makes the rest
	}
	if errors.Is(err, verdict.ErrGone) {
		rs.Tokens.Forget(res.object(state), state.Private.Token)
		return Result{Gone: true}
	}
	if err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	out := r.state(state, yield, req.hasOnlyID())
	if out.State == nil {
		return out
	}
	if req.Reason == Refresh && out.Err == nil {
		if err := res.closeLostUpdates(*out.State); err != nil {
			r.Log.Message(operation.Warning, err.Error())
		}
		outputs.WarnUnread(r.Run, state.Inputs, yield)
		r.warnOtherID(recorded.CurrentID(state), out.State.ID)
	}
	out.State.Private.Imported = out.State.Private.Imported || req.hasOnlyID()
	if req.Reason == Import {
		outputs.WarnPlaceholders(r.Run, out.State.Inputs)
	}
	rs.Tokens.Show(res.object(*out.State), req.Ref, out.State.Private.Token)
	return out
}

// withoutRead returns the recorded state of a resource whose spec has no read.
func withoutRead(s recorded.State, req ReadRequest) Result {
	if req.Reason == Import {
		return Result{Err: fmt.Errorf("%s cannot be imported: its spec has no read", req.Type)}
	}
	s.ID, s.Private.ID = recorded.CurrentID(s), ""
	return Result{State: &s}
}

// isIncomplete reports whether a read failed because the create of the resource stopped halfway.
func (res resource) isIncomplete(s recorded.State, err error) bool {
	return errors.Is(err, verdict.ErrGone) && (isPartlyUndone(s) || res.mayNotExistYet(s)) || errors.Is(err, verdict.ErrNotFound) && res.hasUnmadeSteps(s)
}

// isPartlyUndone reports whether some steps of the create of a resource were undone.
func isPartlyUndone(s recorded.State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && len(f.Undone) > 0
}

// mayNotExistYet reports whether the object that read asks for may not have been made yet, because
// the create stopped between two steps with an effect. If the id refers to inputs only, it is no
// proof that the object was made.
func (res resource) mayNotExistYet(s recorded.State) bool {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Create) || res.Create == nil || f.Steps != res.Create.Shape() || res.IDFromResponses() {
		return false
	}
	finished, ahead := false, false
	for i, step := range res.Create.Steps {
		done := (i < f.Step || slices.Contains(f.Kept, i)) && !slices.Contains(f.Undone, i)
		finished = finished || done && step.Effect == actions.Write
		ahead = ahead || !done && step.Effect == actions.Write
	}
	return finished && ahead
}

// hasUnmadeSteps reports whether a step of the create has made nothing, so that a later step of
// read may find nothing.
func (res resource) hasUnmadeSteps(s recorded.State) bool {
	f := s.Private.Failed
	return s.Private.Unmade != "" || f != nil && f.Op == string(plan.Create) && res.Create != nil && f.Step < len(res.Create.Steps)
}

// hasOnlyID reports whether nothing is known of a resource but its id.
func (req ReadRequest) hasOnlyID() bool {
	return req.Reason == Import || req.Reason == Lookup && req.State.Inputs.Len() == 0 && req.State.Outputs.Len() == 0
}
