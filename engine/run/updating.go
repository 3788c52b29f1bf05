package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
)

// updating is a run of an update.
type updating struct {
	*run
	req UpdateRequest
}

// finish runs the steps of an update that are still to be done, and returns the state that they
// leave.
func (r updating) finish(ctx context.Context) Result {
	old := r.old
	failure := r.Steps(ctx)
	if failure == nil {
		failure = r.confirm(ctx)
	}
	if failure != nil {
		var settled *Result
		if settled, failure = r.settleFailure(ctx, failure, &old); settled != nil {
			return *settled
		}
	}
	if failure == nil {
		failure = r.takeNewID(ctx)
		r.Failed = len(r.Operation.Steps)
	}
	next := &recorded.State{ID: old.ID, Inputs: r.Given, Private: recorded.Private{SchemaVersion: r.Resource.Spec.SchemaVersion, Token: old.Private.Token, Unmade: operation.UnmadeSteps(r.Run, r.resumed, nil)}}
	next.SetCurrentID(r.ID)
	declared := recorded.DeclaredOutputs(r.Resource, old)
	failed := r.Failed
	if failure == nil {
		got, err := r.buildOutputs(ctx, declared)
		if err == nil || value.IsUnrecordable(err) {
			declared = got
		}
		failure, failed = err, len(r.Operation.Steps)
		if err != nil && r.untold {
			failure = errors.Join(err, (&aftermath{run: r.run, failure: err}).reopenIntents())
		}
	}
	next.Private.ETags = r.ETags // reading back may have given another
	next.Outputs = recorded.WithInputs(r.Given, declared)
	next.Private.Written = recorded.NewWritten(r.Resource, r.Given, r.server)
	if failure != nil {
		r.warn(r.closeUnidentified(ctx))
		next.Inputs = old.Inputs // as hosts record it, too: nobody knows which of the new ones hold
		next.Outputs = recorded.WithInputs(old.Inputs, declared)
		next.Private.Written = old.Private.Written
		next.Private.Failed = operation.Stopped(r.Run, r.Given, failed, failure)
		next.Private.Failed.Named = r.named
		if before := old.Private.Failed; before != nil {
			next.Private.Failed.AddGiven(before.Given...)
		}
	} else {
		outputs.WarnKept(r.Run, old.Private.Written, next.Private.Written)
		outputs.WarnLost(r.Run, next.Outputs, r.res.Ref.Key)
		r.warn(r.entries().EndSteps(next))
	}
	return Result{State: next, Err: r.Mask().Error(failure)}
}

// confirm finds out by read whether an update was done of which no response tells. If it was not, it sends
// the steps again whose effect nobody has seen. It returns an error if a step found nothing to change that it should have changed.
func (r updating) confirm(ctx context.Context) error {
	for r.isUnseen() || len(r.Idle) > 0 {
		shown := compare.Unclear
		if r.Resource.Read != nil && r.takeNewID(ctx) == nil {
			before := r.old
			if f := before.Private.Failed; f != nil && !f.Unknown {
				before.Private.Failed = nil
			}
			shown, _ = r.look(ctx, &before)
		}
		for _, i := range slices.Sorted(maps.Keys(r.Idle)) {
			idle := r.Idle[i]
			switch shown {
			case compare.Wanted:
			case compare.Unclear:
				r.Log.Message(operation.Warning, idle.Error()+"; read does not tell whether it should have been")
			default:
				r.Failed = i
				return idle
			}
		}
		if shown != compare.Other || len(r.Idle) > 0 {
			return nil // buildOutputs reads it, and fails if it is not there
		}
		r.Log.Message(operation.Info, "read shows other values than the update has sent, so it had no effect and is sent again")
		r.stopped = false
		r.warn(owner{r.run}.forgetAnswered(operation.RepeatUnseen(r.Run)))
		if err := r.Steps(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settleFailure finds out what an update that failed has done. It returns a result if nothing was
// changed, or if everything was done although the response was lost, and the failure with a remedy. It gives the old state the id and the ETag of now.
func (r updating) settleFailure(ctx context.Context, failure error, old *recorded.State) (*Result, error) {
	idle := errors.Is(failure, verdict.ErrIdle)
	if idle {
		if out := r.reconcile(ctx, old); out != nil {
			return out, failure
		}
	}
	if idle || operation.StatusOf(failure) == actions.Gone && !errors.Is(failure, verdict.ErrUntold) {
		failure = fmt.Errorf("%w; %s", failure, r.goneRemedy(ctx, idle))
	}
	if failure = recorded.ExplainNull(r.Resource, r.old.Inputs, r.Given, failure); !r.Effected {
		return &Result{State: operation.WithoutDoubt(r.Run, *old, failure), Err: r.Mask().Error(failure)}, failure
	}
	failure = r.takeLastID(ctx, failure)
	if stop.Err(ctx) != nil {
		return nil, failure
	}
	if operation.StatusOf(failure) != actions.Unknown {
		return nil, failure
	}
	if out := r.reconcile(ctx, old); out != nil {
		return out, failure
	}
	if r.Failed < len(r.Operation.Steps) && r.Owner.Certainty(r.Operation.Steps[r.Failed]) == actions.Safe {
		failure = fmt.Errorf("%w; run `pulumi up` again: it is safe to repeat", failure)
	}
	return nil, failure
}

// reconcile looks whether an update with an unknown outcome was done: whether the object is what
// the program wants. It returns nil if the update was not done, or if that cannot be found out.
// Then it gives the state the id and the ETag of now, so that the update can be sent again.
func (r updating) reconcile(ctx context.Context, s *recorded.State) *Result {
	s.SetCurrentID(r.ID)
	if r.Resource.Read == nil || !operation.IsLastWrite(r.Run, r.Failed) || r.mayLeaveOld(ctx, s) {
		return nil
	}
	last := r.Operation.Steps[min(r.Failed, len(r.Operation.Steps)-1)]
	awaited, able := plan.Waiting{Operation: r.Operation}.IsAwaited(last)
	if awaited && !able {
		return nil
	}
	shown, seen := r.look(ctx, s)
	if shown != compare.Wanted {
		return nil
	}
	if awaited {
		return r.await(ctx, last)
	}
	out := &recorded.State{ID: s.ID, Inputs: r.Given, Outputs: recorded.WithInputs(r.Given, recorded.DeclaredOutputs(r.Resource, *seen))}
	out.Private = recorded.Private{SchemaVersion: r.Resource.Spec.SchemaVersion, ETags: seen.Private.ETags, Token: s.Private.Token, Unmade: operation.UnmadeSteps(r.Run, r.resumed, nil)}
	out.Private.Written = recorded.NewWritten(r.Resource, r.Given, r.server)
	out.SetCurrentID(r.ID)
	r.Log.Message(operation.Info, "no response tells of the update: it was done, as reading it shows")
	r.Lost = true
	outputs.WarnLost(r.Run, out.Outputs, r.res.Ref.Key)
	r.warn(r.entries().EndSteps(out))
	return &Result{State: out}
}

// await runs the steps after the last one with an effect, which was done as read shows: what came of it is known at their end.
func (r updating) await(ctx context.Context, last *plan.Step) *Result {
	r.Log.Message(operation.Info, "the update was sent, as reading it shows: going on behind "+last.Name)
	r.Finished = map[int]bool{}
	for _, s := range r.Operation.Steps[:last.Index+1] {
		if r.Finished[s.Index] = true; len(r.Results) <= s.Index {
			r.Record(s, nil)
		}
	}
	operation.Found(r.Run, last, nil)
	r.Misfit(last.Index) // what it returned is not known
	out := r.finish(ctx)
	return &out
}

// look reads the object after an update of a state, and tells what it shows. It returns the state
// according to read, nil if that cannot be read. It gives the state the ETag of now if nobody has changed the object.
func (r updating) look(ctx context.Context, s *recorded.State) (compare.Shown, *recorded.State) {
	reader, now, yield, err := r.ReadUnder(ctx, r.ID, *s)
	if errors.Is(err, verdict.ErrGone) {
		return compare.Absent, nil
	} else if err != nil {
		return compare.Unclear, nil
	}
	seen, err := reader.State(now, yield, false)
	if seen == nil || err != nil {
		return compare.Unclear, nil
	}
	shown := r.sent(*s).ShownBy(ctx, seen.Inputs, reader.Unread(now, yield))
	if shown == compare.Former {
		r.ETags, s.Private.ETags, shown = reader.ETags, reader.ETags, compare.Other // nobody else has changed it
	}
	if shown == compare.Wanted {
		r.takeServerValues(yield, reader.Mask())
	}
	return shown, seen
}

// sent returns the update that was sent to the object of a state.
func (r updating) sent(s recorded.State) compare.Sent {
	return compare.Sent{Rules: r.res.Rules(), Before: s, Given: r.Given, Ignore: r.req.Ignore, Writes: r.Operation.Writes()}
}

// goneRemedy returns what to do about an update that did not find its object.
func (r updating) goneRemedy(ctx context.Context, idle bool) string {
	if f := r.old.Private.Failed; f != nil && f.Unknown && f.Op == string(plan.Update) && r.renames() {
		return "the response to an earlier update, which was to give it another name, was lost: " + recorded.NewNameRemedy(r.ID)
	}
	if r.Resource.Read != nil {
		if _, _, err := r.ReadAs(ctx, r.old); err == nil && idle {
			return "read still finds the object: compare what update and read look for, and whether the user may change it (a policy or a trigger may keep it as it is)"
		} else if err == nil {
			return "read still finds the object, so the API does not have this address, or not with this method: compare update with its documentation"
		}
	}
	return "if it was deleted, run `pulumi refresh`: the next `pulumi up` makes it again"
}
