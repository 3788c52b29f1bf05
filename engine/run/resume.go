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

// whereStopped says at which of an operation's steps it stopped.
func whereStopped(step int, op *plan.Operation) string {
	if step < len(op.Steps) {
		return "at " + op.Steps[step].Name
	}
	return "after its last step"
}

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
	r.Log.Message(operation.Info, fmt.Sprintf("going on with the %s that stopped %s", f.Op, whereStopped(f.Step, op)))
	if r.Verb == plan.Update {
		return r.finish(ctx)
	}
	out := r.finishCreate(ctx)
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

// resume takes over the results of an earlier run. The run continues at the step at which that
// one stopped, or at the step from which that one restarts. It runs again what was undone.
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

// settleUndo finds out what came of undo steps that were not answered, before a create
// goes on with what they may have undone. Of its object read tells; another step is done
// again where that does no harm.
func (r updating) settleUndo(ctx context.Context, doubted []int) error {
	gone := map[int]bool{}
	for _, i := range doubted {
		switch s := r.Operation.Steps[i]; {
		case s == r.Resource.Maker && r.Resource.Read != nil && r.ID != "":
			there, err := r.standing(ctx, r.ID)
			if err != nil {
				return err
			}
			if gone[i] = !there; !there {
				r.Log.Message(operation.Info, fmt.Sprintf("undoing %s was not answered: it was done, as reading shows, so it is made anew", s.Name))
			}
		case s.Certainty == actions.Safe:
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	a := &aftermath{run: r.run, failure: errors.New("undoing what it belongs to was not answered"), undone: gone}
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

// finishThenChange goes on with a create that stopped halfway, with the inputs that
// it was begun with, and then changes what it made to the inputs of now. An update
// knows how to change a whole resource, not how to make the rest of one. Where the
// step fails once more, the inputs of then may be why: the rest is made with those of
// now. No update comes before: it would change what the create has not made, and somebody
// else may have.
func (u update) finishThenChange(ctx context.Context, state recorded.State) Result {
	original := u
	original.req.Inputs = state.Inputs
	made := original.resume(ctx, state)
	if canContinue(ctx) && failedAtSameStep(state, made) {
		made = withOriginalInputs(state, u.resume(ctx, *made.State))
	}
	if made.Err != nil || made.State == nil {
		return recordOriginalInputs(made, state)
	}
	out := u.change(ctx, *made.State, u.res.changeAll())
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
	if out.State == nil || out.State.Private.Failed == nil || !errors.As(out.Err, new(*operation.StepError)) || operation.StatusOf(out.Err) == actions.Unknown {
		return false
	}
	was, is := before.Private.Failed, out.State.Private.Failed
	return is.Step == was.Step && !is.Unknown && !is.Stuck && len(is.Undone) == len(was.Undone) && len(is.Elements) == len(was.Elements)
}
