package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
)

// Update changes a resource in place, or goes on with what an earlier run left
// unfinished.
func (rt *Runtime) Update(ctx context.Context, res *plan.Resource, state recorded.State, req UpdateRequest) Result {
	rt.Tokens.Show(recorded.ObjectOf(res, state), req.Ref, state.Private.Token)
	out := rt.update(ctx, res, state, req)
	if !req.Preview {
		out = rt.keepToken(res, req.Ref, state, out)
	}
	return out
}

// update is Update of a state that fits the spec.
func (rt *Runtime) update(ctx context.Context, res *plan.Resource, state recorded.State, req UpdateRequest) Result {
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	changes := rt.Changes(ctx, res, req.Ref, state, req.Inputs, req.Ignore)
	if !req.Preview {
		out, err := rt.settleUpdate(ctx, res, &state, req)
		if out != nil || err != nil {
			return resultOf(out, err)
		}
	}
	if isHalfMade(res, state) && len(changes) > 0 && !req.Preview {
		return rt.finishThenChange(ctx, res, state, req)
	}
	return rt.change(ctx, res, state, req, changes)
}

// change runs an update, or goes on with one, or with a create whose inputs are
// still wanted.
func (rt *Runtime) change(ctx context.Context, res *plan.Resource, state recorded.State, req UpdateRequest, changes []value.Change) Result {
	switch {
	case recorded.CanResume(res, state, req.Inputs) && !req.Preview:
		return rt.resume(ctx, res, state, req)
	case state.Private.Failed == nil && len(changes) == 0:
		// Nothing in the world differs; what is kept of it does.
		return Result{State: &recorded.State{
			ID: state.ID, Inputs: req.Inputs, Outputs: recorded.WithInputs(req.Inputs, recorded.DeclaredOutputs(res, state)), Private: state.Private,
		}}
	case res.Update == nil && !req.Preview:
		return Result{Err: fmt.Errorf("%s cannot be changed in place: its spec has no update", req.Type)}
	}
	if f := state.Private.Failed; f != nil && !f.Seen {
		changes = rt.changeAll(res)
	}
	if res.Update != nil {
		if err := recorded.CheckComplete(res, state, plan.Update); err != nil {
			return Result{Err: err}
		}
	}
	r := rt.New(ctx, res, res.Update, plan.Update, req.Ref, req.Log)
	r.preview = req.Preview
	r.SetInputs(req.Inputs)
	r.SetState(state)
	r.TakeID(recorded.CurrentID(state))
	r.ETag = state.Private.ETag
	r.Vars.Values["changes"] = ChangedInputs(r, res, changes)
	r.given, r.token = req.Inputs, state.Private.Token
	if err := r.Open(); err != nil {
		return Result{Err: err}
	}
	if req.Preview {
		if res.Update == nil {
			r.Operation = &plan.Operation{}
		}
		return r.previewState(ctx, recorded.State{ID: state.ID, Inputs: req.Inputs, Outputs: state.Outputs})
	}
	return r.finishUpdate(ctx, req, state)
}

// resultOf is a result that there is, or an error.
func resultOf(out *Result, err error) Result {
	if out != nil {
		return *out
	}
	return Result{Err: err}
}

// changeAll names every input as changed: after an operation that stopped
// halfway nobody knows which of them the world has.
func (rt *Runtime) changeAll(res *plan.Resource) []value.Change {
	var out []value.Change
	for _, m := range res.Inputs.Fields {
		out = append(out, value.Change{Path: m.Name, Kind: value.Update})
	}
	return out
}

// whereStopped says at which of an operation's steps it stopped.
func whereStopped(step int, op *plan.Operation) string {
	if step < len(op.Steps) {
		return "at " + op.Steps[step].Name
	}
	return "after its last step"
}

// resume goes on at the step where an earlier operation stopped.
func (rt *Runtime) resume(ctx context.Context, res *plan.Resource, state recorded.State, req UpdateRequest) Result {
	f := state.Private.Failed
	op, v := res.Create, plan.Create
	if f.Op == string(plan.Update) {
		op, v = res.Update, plan.Update
	}
	r := rt.New(ctx, res, op, v, req.Ref, req.Log)
	r.SetInputs(req.Inputs)
	if v == plan.Update {
		// The host has recorded the inputs of before, so these are what they were at
		// the first attempt.
		r.SetState(state)
		r.Vars.Values["changes"] = ChangedInputs(r, res, rt.Changes(ctx, res, req.Ref, state, req.Inputs, req.Ignore))
	}
	r.TakeID(recorded.CurrentID(state))
	r.ETag = state.Private.ETag
	r.given, r.token = req.Inputs, state.Private.Token
	r.resume(state)
	if f.ID != "" && r.effected {
		r.Vars.Values["id"] = f.ID // as the steps before have seen it
	}
	if err := r.Open(); err != nil {
		return Result{Err: err}
	}
	if v == plan.Create {
		if err := r.settleUndo(ctx, f.Doubted); err != nil {
			return Result{Err: r.Mask().Error(err)}
		}
	}
	r.Log.Message(Info, fmt.Sprintf("going on with the %s that stopped %s", f.Op, whereStopped(f.Step, op)))
	if v == plan.Update {
		return r.finishUpdate(ctx, req, state)
	}
	out := r.finishCreate(ctx, req.Inputs)
	r.hand(out)
	return keepKnownID(out, state)
}

// keepKnownID gives the result of a resumed create the id that the host knows. A
// resource that was kept as failed stays kept, whatever happened now.
func keepKnownID(out Result, before recorded.State) Result {
	if out.State == nil {
		if out.Err != nil {
			out.State = &before
		}
		return out
	}
	if out.State.ID != before.ID {
		out.State.Private.ID, out.State.ID = out.State.ID, before.ID
	}
	return out
}

// finishUpdate runs what is still to be done of an update, and makes the state of
// whatever comes of it.
func (r *Run) finishUpdate(ctx context.Context, req UpdateRequest, old recorded.State) Result {
	failure := r.Steps(ctx)
	if failure != nil && statusOf(failure) == actions.Gone {
		failure = fmt.Errorf("%w; %s", failure, r.goneRemedy(old))
	}
	if failure != nil && !r.effected {
		return Result{Err: r.Mask().Error(failure)}
	}
	if failure != nil && r.looked && stop.Err(ctx) == nil {
		if id, err := r.rt.findOwnID(ctx, r.res, req.Ref, r.id, req.Inputs, old.Inputs, r.Log.To); err == nil && id != "" {
			r.id = id
		}
	}
	if statusOf(failure) == actions.Unknown && stop.Err(ctx) == nil {
		if out := r.reconcile(ctx, req, &old); out != nil {
			return *out
		}
		if r.failed < len(r.Operation.Steps) && r.certainty(r.Operation.Steps[r.failed]) == actions.Safe {
			failure = fmt.Errorf("%w; run `pulumi up` again: it is safe to repeat", failure)
		}
	}
	r.untold = failure == nil && !r.takeNewID() && !r.findNewID(ctx, old.Inputs)
	next := &recorded.State{ID: old.ID, Inputs: req.Inputs, Private: recorded.Private{SchemaVersion: r.res.Spec.SchemaVersion, Token: old.Private.Token, Unmade: r.unmadeNow(nil)}}
	if r.id != old.ID {
		next.Private.ID = r.id
	}
	outputs := recorded.DeclaredOutputs(r.res, old)
	failed := r.failed
	if failure == nil {
		got, err := r.buildOutputs(ctx, req.Inputs, outputs)
		if err == nil || value.IsUnrecordable(err) {
			outputs = got
		}
		failure, failed = err, len(r.Operation.Steps)
		if err != nil && r.untold {
			failure = errors.Join(err, (&aftermath{Run: r, failure: err}).reopen())
		}
	}
	next.Private.ETag = r.ETag // reading back may have given another
	next.Outputs = recorded.WithInputs(req.Inputs, outputs)
	if failure != nil {
		next.Inputs = old.Inputs // as hosts record it, too: nobody knows which of the new ones hold
		next.Private.Failed = r.newFailed(req.Inputs, failed, failure)
	} else if err := r.forgetUpdates(next); err != nil {
		r.Log.Message(Warning, err.Error())
	}
	return Result{State: next, Err: r.Mask().Error(failure)}
}

// keepToken gives what an update leaves the token that its state had. A state of
// an older version of declprov, which has none, gets one.
func (rt *Runtime) keepToken(res *plan.Resource, ref recorded.Ref, before recorded.State, out Result) Result {
	if out.State == nil {
		return out
	}
	token := before.Private.Token
	if token == "" {
		token = rt.Tokens.Next()
	}
	out.State.Private.Token = token
	was, is := recorded.ObjectOf(res, before), recorded.ObjectOf(res, *out.State)
	if was != is {
		rt.Tokens.Forget(was, token)
	}
	rt.Tokens.Show(is, ref, token)
	return out
}

// settleUndo finds out what came of undo steps that were not answered, before a create
// goes on with what they may have undone. Of its object read tells; another step is done
// again where that does no harm.
func (r *Run) settleUndo(ctx context.Context, doubted []int) error {
	gone := map[int]bool{}
	for _, i := range doubted {
		switch s := r.Operation.Steps[i]; {
		case s == r.res.Maker && r.res.Read != nil && r.id != "":
			there, err := r.standing(ctx, r.id)
			if err != nil {
				return err
			}
			if gone[i] = !there; !there {
				r.Log.Message(Info, fmt.Sprintf("undoing %s was not answered: it was done, as reading shows, so it is made anew", s.Name))
			}
		case s.Certainty == actions.Safe:
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	a := &aftermath{Run: r, failure: errors.New("undoing what it belongs to was not answered"), undone: gone}
	if err := a.listBereft(); err != nil {
		return err
	}
	for i := range r.Operation.RelyOn(gone) {
		gone[i] = true
	}
	for i, is := range gone {
		if !is {
			continue
		}
		delete(r.finished, i)
		if r.goesOn == r.Operation.Steps[i] {
			r.goesOn, r.elements = nil, nil
		}
		r.remakes = r.remakes || r.Operation.Steps[i] == r.res.Maker
	}
	return nil
}

// isHalfMade reports whether a create stopped with steps still to do, and can go on
// with the inputs that it was begun with.
func isHalfMade(res *plan.Resource, state recorded.State) bool {
	f := state.Private.Failed
	return f != nil && f.Op == string(plan.Create) && f.Step < len(res.Create.Steps) && recorded.CanResume(res, state, state.Inputs)
}

// finishThenChange goes on with a create that stopped halfway, with the inputs that
// it was begun with, and then changes what it made to the inputs of now. An update
// knows how to change a whole resource, not how to make the rest of one. Where the
// step fails once more, the inputs of then may be why: the rest is made with those of
// now. No update comes before: it would change what the create has not made, and somebody
// else may have.
func (rt *Runtime) finishThenChange(ctx context.Context, res *plan.Resource, state recorded.State, req UpdateRequest) Result {
	wanted := req.Inputs
	req.Inputs = state.Inputs
	made := rt.resume(ctx, res, state, req)
	if canContinue(ctx) && failedAtSameStep(state, made) {
		req.Inputs = wanted
		made = withOriginalInputs(state, rt.resume(ctx, res, *made.State, req))
	}
	if made.Err != nil || made.State == nil {
		return recordOriginalInputs(made, state)
	}
	req.Inputs = wanted
	out := rt.change(ctx, res, *made.State, req, rt.changeAll(res))
	if out.State == nil {
		out.State = made.State
	}
	return out
}

func canContinue(ctx context.Context) bool { return stop.Err(ctx) == nil && ctx.Err() == nil }

// withOriginalInputs is what came of a create that went on with other inputs than it was begun with:
// what its first steps made still has those.
func withOriginalInputs(begun recorded.State, out Result) Result {
	if out.State == nil {
		return out
	}
	state := *out.State
	state.Inputs = begun.Inputs
	if f := state.Private.Failed; f != nil {
		failed := *f
		failed.Inputs = begun.Private.Failed.Inputs
		state.Private.Failed = &failed
	}
	out.State = &state
	return out
}

// recordOriginalInputs notes the inputs that a create was begun with: the host records those that it
// asked for.
func recordOriginalInputs(out Result, begun recorded.State) Result {
	if out.State != nil && out.State.Private.Failed != nil {
		out.State.Private.Failed.World, _ = value.EncodeRecordable(begun.Inputs)
	}
	return out
}

// failedAtSameStep reports whether a create that went on was answered where it had stopped that
// it is not done, and has left everything as it was.
func failedAtSameStep(before recorded.State, out Result) bool {
	if out.State == nil || out.State.Private.Failed == nil || !errors.As(out.Err, new(*StepError)) || statusOf(out.Err) == actions.Unknown {
		return false
	}
	was, is := before.Private.Failed, out.State.Private.Failed
	return is.Step == was.Step && !is.Unknown && !is.Stuck && len(is.Undone) == len(was.Undone) && len(is.Elements) == len(was.Elements)
}
