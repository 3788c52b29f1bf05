package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Read looks up a resource. Gone reports that it does not exist.
func (rs *Resources) Read(ctx context.Context, of *plan.Resource, state recorded.State, req ReadRequest) Result {
	res := rs.resource(of, req.Ref, req.Log)
	if res.Read == nil {
		return withoutRead(state, req)
	}
	ctx, cancel := stop.After(ctx, req.Timeout)
	defer cancel()
	if req.Reason == Refresh {
		if err := res.relocateWithInputs(ctx, &state); err != nil {
			return Result{Err: err}
		}
	}
	if !req.HasOnlyID() {
		if err := recorded.CheckComplete(of, state, plan.Read); err != nil {
			return Result{Err: err}
		}
	}
	r, yield, err := res.readUntilSeen(ctx, state)
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
	out.State.Private.Imported = out.State.Private.Imported || req.HasOnlyID()
	if out.Err == nil {
		res.warnOfRead(r, req, state, yield, out.State)
	}
	if req.Reason == Import {
		if err := rs.Declare(of, req.Ref, *out.State); err != nil {
			return Result{Err: err}
		}
		rs.Tokens.Manage(res.object(*out.State), req.Ref, out.State.Private.Token)
	}
	rs.Tokens.Show(res.object(*out.State), req.Ref, out.State.Private.Token)
	return out
}

// newReading returns a run of the resource's `read`.
func (res resource) newReading(ctx context.Context) reading.Reading {
	return reading.Reading{Run: res.all.New(ctx, res.Resource, res.Read, plan.Read, res.ref, res.log), Rules: res.rules(), Taken: res.taken}
}

// reading returns a run of the resource's `read` for a state.
func (res resource) reading(ctx context.Context, s recorded.State) reading.Reading {
	r := res.newReading(ctx)
	r.Recall(s)
	return r
}

// readUntilSeen reads a resource. If it was created so recently that the server may not show it yet,
// what is not found is looked for again.
func (res resource) readUntilSeen(ctx context.Context, s recorded.State) (r reading.Reading, yield any, err error) {
	look := func() (bool, error) {
		r = res.reading(ctx, s)
		if s.ID == "" {
			r.Vars.Values["id"] = nil // an import that does not give it
		}
		if err = r.Open(); err != nil {
			return true, nil
		}
		yield, err = r.Read(ctx)
		return !errors.Is(err, verdict.ErrGone), nil
	}
	waiting := func() { r.Log.Status("waiting until it can be seen") }
	if stopped := stop.Until(ctx, res.visibleBy(ctx, s), waiting, look); stopped != nil {
		return r, nil, stopped
	}
	return r, yield, err
}

// visibleBy returns the time by which the server shows the object of a state.
func (res resource) visibleBy(ctx context.Context, s recorded.State) time.Time {
	if s.Private.VisibleBy.IsZero() {
		return s.Private.VisibleBy
	}
	limit, err := res.reading(ctx, s).Duration(res.Consistency, 0)
	if err != nil {
		return s.Private.VisibleBy
	}
	return stop.Within(s.Private.VisibleBy, limit)
}

// warnOfRead warns of what a refresh or an import has not found.
func (res resource) warnOfRead(r reading.Reading, req ReadRequest, before recorded.State, yield any, after *recorded.State) {
	switch req.Reason {
	case Refresh:
		res.warn(res.entries(after.Private.Token).CloseFound(*after))
		outputs.WarnUnread(r.Run, before.Inputs, yield)
		r.WarnOtherID(req.Reason == Import, recorded.CurrentID(before), after.ID)
		r.WarnOtherObject(before, *after)
	case Import:
		r.WarnOtherID(req.Reason == Import, recorded.CurrentID(before), after.ID)
		outputs.WarnPlaceholders(r.Run, after.Inputs)
	}
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
	return errors.Is(err, verdict.ErrGone) && (recorded.IsPartlyUndone(s) || recorded.MayNotExistYet(res.Resource, s)) ||
		errors.Is(err, verdict.ErrNotFound) && recorded.HasUnmadeSteps(res.Resource, s)
}
