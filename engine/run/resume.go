package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
)

// resume continues an operation at the step at which it stopped.
func (u update) resume(ctx context.Context, state recorded.State) Result {
	res := u.res
	f := state.Private.Failed
	op := res.Create
	var r updating
	if f.Op == string(plan.Update) {
		// The host has recorded the inputs of before, so the changes are what they were at
		// the first attempt.
		op, r = res.Update, u.begin(ctx, state, u.changes(ctx, state))
	} else {
		r = updating{run: res.beginWith(ctx, op, plan.Create, u.req.Inputs), req: u.req, old: state}
		r.TakeID(recorded.CurrentID(state))
		r.ETag, r.token = state.Private.ETag, state.Private.Token
	}
	r.resume(state)
	if f.ID != "" && r.Effected {
		r.Vars.Values["id"] = f.ID // as the steps before have seen it
	}
	if err := r.Open(); err != nil {
		return Result{Err: err}
	}
	if r.Verb == plan.Create {
		if err := r.settleUndo(ctx, f.Doubted); err != nil {
			return Result{Err: r.Mask().Error(err)}
		}
	}
	r.Log.Message(operation.Info, fmt.Sprintf("going on with the %s that stopped %s", f.Op, op.WhereStopped(f.Step)))
	if r.Verb == plan.Update {
		return r.finish(ctx)
	}
	out := r.finishCreate(ctx)
	r.recordHandover(out)
	return keepKnownID(out, state)
}

// keepKnownID gives the result of a resumed create the id that the host knows. A resource that
// the host has recorded as failed stays recorded, whatever this run came to.
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

// resume restores the results of an earlier run. The run then continues at the step at which the
// earlier one stopped, or at its `restart`. Steps that were undone run again.
func (r *run) resume(s recorded.State) {
	f := s.Private.Failed
	r.Unmade = strings.Fields(s.Private.Unmade)
	r.resumed, r.Finished = true, map[int]bool{}
	first := f.Step
	if f.Step < len(r.Operation.Steps) {
		first = r.Operation.Steps[f.Step].Restart
	}
	again := map[int]bool{}
	for _, i := range f.Undone {
		again[i] = true
	}
	r.remakes = r.Verb == plan.Create && r.Resource.Maker != nil && again[r.Resource.Maker.Index]
	relying := r.Operation.RelyOn(again)
	for _, i := range f.Misfits {
		r.Misfit(i)
	}
	for i, result := range f.Results[:min(len(f.Results), len(r.Operation.Steps))] {
		if i >= first && !slices.Contains(f.Kept, i) || again[i] || relying[i] {
			continue
		}
		r.Finished[i] = true
		r.Record(r.Operation.Steps[i], value.Restore(result))
		if r.Operation.Steps[i].Effect == actions.Write {
			r.Effected = true
		}
	}
	if f.Elements != nil && first == f.Step && !relying[first] {
		r.Looping = r.Operation.Steps[f.Step]
		r.Elements, _ = value.Restore(f.Elements).(map[string]any)
	}
}

// settleUndo finds out whether undo steps were done whose responses were lost, before a create
// continues. For the object itself, read tells. Other steps count as undone, and run again, if
// they are safe to repeat.
func (r updating) settleUndo(ctx context.Context, doubted []int) error {
	gone := map[int]bool{}
	for _, i := range doubted {
		switch s := r.Operation.Steps[i]; {
		case s == r.Resource.Maker && r.Resource.Read != nil && r.ID != "":
			there, err := r.exists(ctx, r.ID)
			if err != nil {
				return err
			}
			if gone[i] = !there; !there {
				r.Log.Message(operation.Info, fmt.Sprintf("the response to undoing %s was lost: it was undone, as read shows, so it is made again", s.Name))
			}
		case s.Certainty == actions.Safe:
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	a := &aftermath{run: r.run, failure: errors.New("undoing what it belongs to was not answered"), undone: gone}
	if err := a.listOrphans(); err != nil {
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
		if r.Looping == r.Operation.Steps[i] {
			r.Looping, r.Elements = nil, nil
		}
		r.remakes = r.remakes || r.Operation.Steps[i] == r.Resource.Maker
	}
	return nil
}

// isHalfMade reports whether a create stopped with steps still to do, and can be resumed with its
// original inputs.
func (res resource) isHalfMade(state recorded.State) bool {
	f := state.Private.Failed
	return f != nil && f.Op == string(plan.Create) && f.Step < len(res.Create.Steps) && recorded.CanResume(res.Resource, state, state.Inputs)
}

// finishThenChange resumes a create with its original inputs, and then updates the resource to the
// new inputs: an update can change a whole resource, but cannot make the rest of one. If the same
// step fails again, the original inputs may be the reason, and the rest is made with the new ones.
// The update is not run before that, because it would change objects that the create has not made
// and that somebody else may own.
func (u update) finishThenChange(ctx context.Context, state recorded.State) Result {
	original := u
	original.req.Inputs = state.Inputs
	made := original.resume(ctx, state)
	if canContinue(ctx) && failedAtSameStep(state, made) {
		made = u.resume(ctx, *made.State)
		made.State = made.State.WithInputsOf(state)
	}
	if made.Err != nil || made.State == nil {
		made.State.AddWorld(state.Inputs)
		return made
	}
	out := u.change(ctx, *made.State, u.addUnknown(state, nil))
	if out.State == nil {
		out.State = made.State
	}
	return out
}

func canContinue(ctx context.Context) bool { return stop.Err(ctx) == nil && ctx.Err() == nil }

// failedAtSameStep reports whether a resumed create failed at the step at which it had stopped
// before, with a known outcome, and has changed nothing.
func failedAtSameStep(before recorded.State, out Result) bool {
	if out.State == nil || out.State.Private.Failed == nil || !errors.As(out.Err, new(*operation.StepError)) || operation.StatusOf(out.Err) == actions.Unknown {
		return false
	}
	was, is := before.Private.Failed, out.State.Private.Failed
	return is.Step == was.Step && !is.Unknown && !is.Stuck && len(is.Undone) == len(was.Undone) && len(is.Elements) == len(was.Elements)
}
