package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/request"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Read looks up a resource. Gone reports that it does not exist.
func (rs *Resources) Read(ctx context.Context, of *plan.Resource, state recorded.State, req ReadRequest) Result {
	res := rs.resource(of, req.Ref, req.Log)
	if res.Read == nil {
		return request.WithoutRead(state, req)
	}
	ctx, cancel := stop.After(ctx, req.Timeout)
	defer cancel()
	if err := res.complete(ctx, &state, req); err != nil {
		return Result{Err: err}
	}
	r, yield, err := res.ReadUntilSeen(ctx, state)
	if res.isIncomplete(state, err) {
		if req.Reason == Refresh {
			r.Log.Message(operation.Info, "read does not find all of the resource, because its create stopped halfway. The resource is kept for what its first steps made: `pulumi up` continues the create, and `pulumi destroy` removes it")
		}
		return Result{State: &state} // the next run makes the rest
	}
	if errors.Is(err, verdict.ErrGone) {
		return missingObject{res, state}.afterRead(ctx, req.Reason, err)
	}
	if err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	var out Result
	if out.State, out.Err = r.State(state, yield, req.HasOnlyID()); out.State == nil {
		return out
	}
	if req.Reason == Import {
		if err := res.confirmImport(ctx, reading.Imported{Reading: r, Text: state, Found: *out.State, Yield: yield}); err != nil {
			return Result{Err: err}
		}
	}
	out.State.Private.Imported = out.State.Private.Imported || req.HasOnlyID()
	if out.Err == nil {
		if err := r.RefuseOther(state, *out.State, req.Moved); err != nil {
			return Result{Err: err}
		}
		res.warnOfRead(r, req, state, yield, out.State)
	}
	if req.Reason == Import {
		if err := rs.Declare(of, req.Ref, *out.State); err != nil {
			return Result{Err: err}
		}
		rs.Tokens.Manage(res.Object(*out.State), req.Ref, out.State.Private.Token)
	}
	rs.Tokens.Show(res.Object(*out.State), req.Ref, out.State.Private.Token)
	return out
}

// complete adds to a state what a read of it requires, or returns an error.
func (res resource) complete(ctx context.Context, state *recorded.State, req ReadRequest) error {
	if req.Reason == Refresh {
		if err := res.relocateWithInputs(ctx, state); err != nil {
			return err
		}
	}
	if req.HasOnlyID() {
		return nil
	}
	return recorded.CheckComplete(res.Resource, *state, plan.Read)
}

// confirmImport returns an error unless a read has found what the text of an import asks for.
func (res resource) confirmImport(ctx context.Context, of reading.Imported) error {
	of.Again = func(s recorded.State) (reading.Reading, any, error) {
		again := res.Reading(ctx, s)
		again.Env = of.Env
		yield, err := again.Read(ctx)
		return again, yield, err
	}
	if err := of.Confirm(ctx); err != nil {
		return of.Mask().Error(fmt.Errorf("read of %s: %w", res.Spec.Name, err))
	}
	return nil
}

// warnOfRead warns of what a refresh or an import has not found.
func (res resource) warnOfRead(r reading.Reading, req ReadRequest, before recorded.State, yield any, after *recorded.State) {
	switch req.Reason {
	case Refresh:
		res.warn(res.entries(after.Private.Token).CloseFound(*after))
		outputs.WarnUnread(r.Run, before.Inputs, yield)
		r.WarnOtherID(recorded.CurrentID(before), after.ID)
		r.WarnOtherObject(before, *after)
	case Import:
		outputs.WarnPlaceholders(r.Run, after.Inputs)
	}
}

// isIncomplete reports whether a read failed because the create of the resource stopped halfway.
func (res resource) isIncomplete(s recorded.State, err error) bool {
	return errors.Is(err, verdict.ErrGone) && (recorded.IsPartlyUndone(s) || recorded.MayNotExistYet(res.Resource, s)) ||
		errors.Is(err, verdict.ErrNotFound) && recorded.HasUnmadeSteps(res.Resource, s)
}
