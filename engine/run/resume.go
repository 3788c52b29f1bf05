package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// goOn continues an operation at the step at which it stopped, and returns the run that does so, too.
func (u update) goOn(ctx context.Context, state recorded.State) (Result, *run) {
	res := u.res
	f := state.Private.Failed
	op := res.Create
	var r updating
	if f.Op == string(plan.Update) {
		// The host has recorded the inputs of before, so the changes are what they were at
		// the first attempt.
		op, r = res.Update, u.begin(ctx, state, u.changes(ctx, state))
	} else {
		r = updating{run: res.beginWith(ctx, op, plan.Create, u.req.Inputs), req: u.req}
		r.old = state
		r.TakeID(recorded.CurrentID(state))
		r.ETags, r.Token = state.Private.ETags, state.Private.Token
		defer halfMade{r.run}.openOnPanic()
		if err := (halfMade{r.run}).take(f.Entry); err != nil {
			return Result{Err: err}, r.run
		}
	}
	r.resume(state)
	if f.ID != "" && r.Effected {
		r.Vars.Values["id"] = f.ID // as the steps before have seen it
	}
	if err := r.Open(); err != nil {
		return Result{Err: err}, r.run
	}
	if r.Verb == plan.Create {
		if err := r.settleUndo(ctx, f); err != nil {
			return Result{Err: r.Mask().Error(err)}, r.run
		}
	}
	r.Log.Message(operation.Info, fmt.Sprintf("going on with the %s that stopped %s", f.Op, op.WhereStopped(f.Step)))
	if r.Verb == plan.Update {
		return r.finish(ctx), r.run
	}
	out := r.finishCreate(ctx)
	halfMade{r.run}.end(&out)
	r.recordHandover(out)
	return out.WithKnownID(state), r.run
}

// resume restores the results of an earlier run. The run then continues at the step at which the
// earlier one stopped, or at its `restart`. Steps that were undone run again.
func (r *run) resume(s recorded.State) {
	f := s.Private.Failed
	r.Unmade = strings.Fields(s.Private.Unmade)
	r.resumed = true
	r.began, _ = r.res.all.journal.Hash(f.Inputs)
	r.stopped = f.Step >= len(r.Operation.Steps)
	r.remakes = r.Verb == plan.Create && r.Resource.Maker != nil && slices.Contains(f.Undone, r.Resource.Maker.Index)
	if first := operation.Restore(r.Run, f); first < f.Step {
		r.warn(owner{r}.forgetAnswered(first))
	}
}

// forgetAnswered removes the intents of answered requests of the steps from one on.
func (o owner) forgetAnswered(first int) error {
	return o.entries().ForgetAnswered(o.intent(o.Operation.Steps[first]))
}

// settleUndo completes, before a create continues, the undo of steps of which something was undone, or may
// have been. They run again then, and so do those that are safe to repeat without it. If the only undo
// step of the object itself was not answered, read tells whether the object is still there.
func (r updating) settleUndo(ctx context.Context, f *recorded.Failed) error {
	gone := map[int]bool{}
	for _, i := range f.Doubted {
		var err error
		if gone[i], err = r.undoAgain(ctx, r.Operation.Steps[i], f.Error); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	a := &aftermath{run: r.run, failure: errors.New("undoing what it belongs to was not answered"), undone: gone}
	if err := errors.Join(a.listOrphans(), entries.Creates{Entries: r.entries()}.ForgetUndone(r.Token, gone)); err != nil {
		return err
	}
	for i := range r.Operation.RelyOn(gone) {
		gone[i] = true
	}
	for i, is := range gone {
		if !is {
			continue
		}
		delete(r.Finished, i)
		r.Record(r.Operation.Steps[i], expr.Unknown{})
		if r.Looping == r.Operation.Steps[i] {
			r.Looping, r.Elements, r.Spare = nil, nil, nil
		}
		r.remakes = r.remakes || r.Operation.Steps[i] == r.Resource.Maker
	}
	return nil
}

// undoAgain completes the undo of a step after a failure, and reports whether the step is to run again.
func (r updating) undoAgain(ctx context.Context, s *plan.Step, failure string) (again bool, err error) {
	if s == r.Resource.Maker && r.Resource.Read != nil && r.ID != "" && len(s.Undo) == 1 && s.Undo[0].ForEach == nil {
		there, err := r.Exists(ctx, r.ID)
		if err == nil && !there {
			r.Log.Message(operation.Info, fmt.Sprintf("the response to undoing %s was lost: it was undone, as read shows, so it is made again", s.Name))
		}
		return err == nil && !there, err
	}
	if result, known := r.ResultSoFar(s); known && s.Certainty != actions.Safe {
		r.Undoing = true
		defer func() { r.Undoing = false }()
		if _, err := operation.Undo(ctx, r.Run, s, result, failure); err != nil {
			return false, fmt.Errorf("undoing %s, which was not undone as a whole: %w", s.Name, err)
		}
	}
	return true, nil
}

// finishThenChange resumes a create with its original inputs, and then updates the resource to the
// new inputs: an update can change a whole resource, but cannot make the rest of one. If the same
// step fails again, the original inputs may be the reason, and the rest is made with the new ones; and so
// it is if nothing has the original ones any more, because a file among them has changed.
// The update is not run before that, because it would change objects that the create has not made
// and that somebody else may own.
func (u update) finishThenChange(ctx context.Context, state recorded.State) Result {
	original, made, drifted := u, Result{State: &state}, state.Private.Failed.Drifted
	var r *run
	original.req.Inputs = state.Inputs
	known := recorded.RanWith(state, state.Inputs)
	if known {
		made, r = original.goOn(ctx, state)
	}
	if !known || stop.Err(ctx) == nil && ctx.Err() == nil && operation.StoppedAgain(state, made.State, made.Err) {
		made, r = u.goOn(ctx, *made.State)
		made.State = made.State.WithInputsOf(state, u.res.Resource)
	}
	if made.Err == nil && made.State != nil && drifted {
		u.drift(ctx, &made, r)
	}
	if made.Err != nil || made.State == nil {
		made.State.KeepOriginal(state.Inputs)
		made.State.KeepDrifted(drifted)
		return made
	}
	out := u.change(ctx, *made.State, u.addUnknown(state, nil))
	if out.State == nil {
		out.State = made.State
	}
	return out
}

// resumeDrifted continues an operation at the step at which it stopped. If it completes a create whose object a refresh has shown with
// other values, it brings them back.
func (u update) resumeDrifted(ctx context.Context, state recorded.State) Result {
	out, r := u.goOn(ctx, state)
	if !state.Private.Failed.Drifted || out.State == nil {
		return out
	}
	if out.State.KeepDrifted(true); out.Err != nil {
		if state.Private.Failed.Original != nil {
			out.State.KeepOriginal(u.req.Inputs) // the host keeps what the refresh has shown
		}
		return out
	}
	changes := u.drift(ctx, &out, r)
	if len(changes) == 0 {
		out.State.KeepOriginal(u.req.Inputs)
		return out
	}
	changed := u.change(ctx, *out.State, changes)
	if changed.State == nil {
		changed.State = out.State
	}
	return changed
}

// drift returns what differs between the object whose create r has completed and the program, and gives the result the values that the
// object has. The result gets an error if that is not known, or if no update can change it.
func (u update) drift(ctx context.Context, out *Result, r *run) []value.Change {
	now, err := u.res.Seen(ctx, *out.State)
	if err != nil {
		err = fmt.Errorf("a refresh has shown other values than the program has, and whether they remain cannot be read: %w", err)
		out.State.Private.Failed = operation.Stopped(r.Run, r.Given, len(r.Operation.Steps), err)
		out.State.KeepDrifted(true)
		out.Err = r.Mask().Error(err)
		return nil
	}
	changes := u.changes(ctx, now)
	if len(changes) == 0 {
		return nil
	}
	out.State = &now
	if replaces := recorded.RequireReplacement(u.res.Resource, changes); replaces != nil {
		out.Err = fmt.Errorf("the create is complete now, but somebody has changed %s since, which no update can change back: run `pulumi up` again, which replaces it", diag.And(replaces))
		return nil
	}
	return changes
}
