package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/spec/screen"
)

// sending is a step with an effect that is sent under an intent: the intent is in the journal
// before the step is sent, and an intent that an earlier run left open is settled first.
type sending struct {
	*run
	step *plan.Step
	// sync is true if the intent must survive a loss of power.
	sync bool
	// intent is the intent of the step, as the journal has it.
	intent journal.Intent
	// doubt is true if an earlier run may have done the step. resent is true if an earlier attempt
	// may have, and find has found nothing since.
	doubt, resent bool
}

// begin writes a new intent to the journal, or continues that of an earlier run. In the second
// case the step may have been done already.
func (n *sending) begin() error {
	same, err := n.sameEffect()
	switch {
	case err != nil:
		return err
	case same == nil:
		n.doubt = n.begunBefore()
		n.intent, err = n.book().Begin(n.run.intent(n.step), n.sync)
	default:
		n.doubt = true
		if n.intent, err = n.book().Claim(*same); err == nil && n.intent.Token != n.Token {
			n.intent.Token = n.Token
			if err = n.book().Put(n.intent, false); err != nil {
				n.intent.Status = journal.Unknown
				err = errors.Join(err, n.book().Put(n.intent, false))
			}
		}
	}
	if err == nil {
		n.begun = append(n.begun, n.intent)
	}
	return err
}

// sameEffect returns the newest intent of an earlier run for the same effect that this run may
// continue, nil if there is none. It ignores those of a create that may be done twice and cannot
// be found: people settle them.
func (n *sending) sameEffect() (*journal.Intent, error) {
	list, err := n.book().Earlier()
	if err != nil || n.step.Certainty == actions.Uncertain && !n.Resource.Finds(n.step) && n.Verb == plan.Create {
		return nil, err
	}
	now := n.run.intent(n.step)
	for at := range slices.Backward(list) {
		i := list[at]
		if i.Operation == now.Operation && i.Step == now.Step && i.Element == now.Element && i.Hash == now.Hash && n.mayContinue(i) &&
			(i.Operation == journal.Create || i.Token == now.Token) { // an update concerns one object only
			return &i, nil
		}
	}
	return nil, nil
}

// begunBefore reports whether an earlier create of the resource, with whatever inputs, may have
// done this step: its intent is open, or was handed to a host that never recorded it. If the
// server now says that the object exists, it may mean what that create made.
func (n *sending) begunBefore() bool {
	if n.Verb != plan.Create || n.step.Certainty != actions.Conditional || n.Resource.Finds(n.step) {
		return false
	}
	list, err := n.book().Earlier()
	return err == nil && slices.ContainsFunc(list, func(i journal.Intent) bool {
		return i.Operation == journal.Create && i.Step == n.step.Index && i.Element == n.At && i.Status != journal.Failed && entries.Elsewhere(n.Resource, i) == ""
	})
}

// takeOver looks for what an earlier run has made and adopts it. It returns nil if there is
// nothing: the step is then sent as if for the first time.
func (n *sending) takeOver(ctx context.Context) (any, error) {
	found, err := n.FindUntilSeen(ctx, n.step, n.intent.LastSent())
	if err != nil {
		return nil, n.leaveOpen(n.unknown(err))
	}
	if found != nil {
		value, err := n.adopt(ctx, found)
		if err == nil {
			n.Log.Message(operation.Info, "an earlier run made it, and its response was lost: it was found, and is taken over")
		}
		return value, err
	}
	if n.intent.ID != "" {
		if there, err := n.Exists(ctx, n.intent.ID); err != nil || there {
			return nil, n.leaveOpen(n.unknown(cmp.Or(err, entries.UnseenError(n.intent))))
		}
		n.intent.ID, n.intent.Error = "", "" // it was undone, and the next response may be lost, too
	}
	if err := n.markResent(); err != nil {
		return nil, n.leaveOpen(n.unknown(err))
	}
	n.doubt = false
	return nil, nil
}

// send sends the step and records its outcome in the journal.
func (n *sending) send(ctx context.Context) (any, error) {
	n.run.sending = n
	defer func() { n.run.sending = nil }()
	defer entries.OpenOnPanic(n.book(), &n.intent)
	value, err := n.Attempts(ctx, n.step, n.doubt)
	if err == nil && n.doubt {
		switch stale, looked := n.stale(ctx, value); {
		case looked != nil:
			return nil, n.leaveOpen(n.unknown(looked))
		case stale:
			if err = n.beginAgain(); err != nil {
				return nil, n.Stop(n.step, 1, actions.Refused, err)
			}
			value, err = n.Attempts(ctx, n.step, false)
		}
	}
	return n.close(ctx, value, err)
}

// unknown returns the error of a step with an unknown outcome.
func (n *sending) unknown(err error) error { return n.Stop(n.step, 1, actions.Unknown, err) }

// markResent records that the step is sent again because the earlier attempts made nothing. The time
// for which find may not yet see the object starts anew.
func (n *sending) markResent() error {
	if n == nil {
		return nil // it has no intent
	}
	n.intent.Sent, n.resent = time.Now().UTC(), true
	return n.book().Put(n.intent, true)
}

// doubtRefusal makes the outcome of a step unknown that was refused after it was sent again: the server
// may refuse it because of what the first attempt has made, and find may not recognize that.
func (n *sending) doubtRefusal(err error) {
	var failed *operation.StepError
	if n.resent && errors.As(err, &failed) && failed.Refused && failed.Responded() {
		failed.Status = actions.Unknown
	}
}

// stale reports whether the response to a step that was sent again with the key of an earlier
// run is the one that the server keeps for that key, while what it tells of has gone since.
func (n *sending) stale(ctx context.Context, response any) (bool, error) {
	if n.Verb != plan.Create || n.step.Certainty != actions.Keyed || n.step != n.Resource.Maker || n.Resource.Read == nil || n.Until > 0 {
		return false, nil // a run that pauses behind it looks by itself
	}
	id := n.IDIn(n.step, response)
	if id == "" {
		return false, nil
	}
	there := false
	err := n.RetryUntilSeen(ctx, time.Now(), func() (_ bool, err error) {
		there, err = n.Exists(ctx, id)
		return there, err
	})
	return err == nil && !there, err
}

// beginAgain replaces the intent by a new one with another key.
func (n *sending) beginAgain() error {
	forgotten := n.book().RemoveOne(n.intent)
	n.Log.Message(operation.Info, "the server returned the object that an earlier run had made, which is gone: creating it again")
	intent, err := n.book().Begin(n.run.intent(n.step), n.sync)
	if err == nil {
		n.intent = intent
		n.begun = append(n.begun, intent)
	}
	return errors.Join(forgotten, err)
}

// close records the outcome of the step in the journal. If the outcome is unknown, it looks for
// what the step may have made.
func (n *sending) close(ctx context.Context, value any, err error) (any, error) {
	if err == nil {
		if value, err = n.identify(ctx, value); err != nil {
			return nil, err
		}
		n.intent.Status, n.intent.ID, n.intent.Ongoing = journal.Answered, n.ResultID(n.step, value), n.Verb == plan.Create
		if n.Verb == plan.Update && n.IDIn(n.step, value) == "" {
			n.intent.Status, n.intent.Ongoing = journal.Unknown, true // if this run ends here, find tells the id
			n.unidentified = append(n.unidentified, n.intent)
		}
		n.warn(errors.Join(n.book().Put(n.intent, false), n.forgetFailed(n.step)))
		return value, nil
	}
	n.doubtRefusal(err)
	if n.wasDone(ctx, n.step, n.intent.LastSent(), err) {
		n.intent.Status = journal.Answered
		n.warn(n.book().Put(n.intent, false))
		return nil, nil
	}
	switch operation.StatusOf(err) {
	case actions.Refused, actions.Gone:
		return nil, errors.Join(err, n.book().RemoveOne(n.intent))
	case actions.Failed:
		n.intent.Status, n.intent.Error = journal.Failed, screen.Show(err.Error(), n.Mask()).String()
		return nil, errors.Join(err, n.book().Put(n.intent, false))
	}
	if stop.Err(ctx) == nil {
		if moved, looked := n.settleMove(ctx); looked != nil {
			err = errors.Join(err, looked)
		} else if moved {
			return nil, nil
		}
	}
	if (owner{n.run}).CanLook(n.step) && stop.Err(ctx) == nil {
		switch found, looked := n.Find(ctx, n.step); {
		case looked != nil:
			err = errors.Join(err, looked)
		case found != nil:
			return n.adopt(ctx, found)
		default:
			err = fmt.Errorf("%w; nothing was found of it now, and the next run looks again before it sends anything", err)
		}
	}
	return nil, n.leaveOpen(err)
}

// identify returns what find finds, with what only the response tells, in place of a response of a create that does not contain
// the id, such as {"ok": true}: there was nothing before. It returns the response if find cannot tell; the create then has no id. If no attempt was lost, the inputs
// by which find looks are proof enough: the server may have rewritten the others, as it may in a response.
func (n *sending) identify(ctx context.Context, response any) (any, error) {
	s, rewritten := n.step, []string(nil)
	if !(owner{n.run}).CanLook(s) || s != n.Resource.Maker || s.Index != n.Resource.IDAfter || n.Until > 0 || n.IDIn(s, response) != "" {
		return response, nil
	}
	found, err := n.FindUntilSeen(ctx, s, time.Now())
	if err != nil || found == nil {
		n.warn(err)
		return response, nil
	}
	if !n.doubt && !n.resent {
		rewritten = n.Resource.Unsought()
	}
	why, err := n.ClaimFound(ctx, s, found, rewritten, n.Given)
	switch {
	case err != nil:
		return nil, n.leaveOpen(n.unknown(err))
	case why != "":
		return nil, n.refuseFound(found, why)
	}
	return operation.AddResponse(s, found, response), nil
}

// adopt returns what find found as the result of the step, after its response was lost. It requires that the intent
// records that there was nothing before, and that claimFound finds nothing against it.
func (n *sending) adopt(ctx context.Context, found any) (any, error) {
	if n.intent.ID != "" && n.intent.ID != n.ResultID(n.step, found) {
		switch there, err := n.Exists(ctx, n.intent.ID); {
		case err != nil:
			return nil, n.leaveOpen(n.unknown(err))
		case there:
			return nil, n.markUnknown(n.unknown(entries.OtherObjectError(n.intent, n.DescribeID(n.step, found))))
		}
		err := fmt.Errorf("it exists already%s, and is not what an earlier create made: import it if it is yours, else choose another name", n.DescribeID(n.step, found))
		return nil, errors.Join(n.Stop(n.step, 1, actions.Refused, err), n.book().RemoveOne(n.intent))
	}
	why := "it is not known whether this create made it"
	if n.intent.Looked {
		var err error
		if why, err = n.ClaimFound(ctx, n.step, found, nil, n.Given); err != nil {
			return nil, n.leaveOpen(n.unknown(err))
		}
	}
	if why != "" {
		return nil, n.refuseFound(found, why)
	}
	operation.Found(n.Run, n.step, found)
	n.intent.Status, n.intent.ID, n.intent.Ongoing = journal.Answered, n.ResultID(n.step, found), true
	n.warn(n.book().Put(n.intent, false))
	return found, nil
}

// refuseFound leaves the intent open, and returns the error of a create that may not take what find found.
func (n *sending) refuseFound(found any, why string) error {
	return n.markUnknown(n.unknown(fmt.Errorf("something is there now%s, and %s: if it is yours, import it; "+
		"else choose another name. Then `declprov journal forget %s` removes this create from the journal", n.DescribeID(n.step, found), why, n.intent.Key)))
}

// settleMove reports whether find shows that a lost step of an update was done, because it gave
// the resource another id. The later steps see the id that they would have seen otherwise. The
// last step of an update is left to read, which shows more.
func (n *sending) settleMove(ctx context.Context) (bool, error) {
	s, i := n.step, &n.intent
	if !i.Proves || !n.maySettle(s) {
		return false, nil
	}
	id, err := n.res.FindOwnID(ctx, i.ID, n.Given, recorded.State{Inputs: n.Before})
	if err != nil || id == "" || id == i.ID && !i.Vacant {
		return false, err
	}
	n.settled(s, "find")
	n.ID, n.Vars.Values["id"] = id, i.ID
	i.Status, i.ID, i.Moved = journal.Answered, id, id != i.ID
	n.warn(n.book().Put(*i, false))
	return true, nil
}

// maySettle reports whether something else than its response may tell that a step of an update was done: nothing needs
// the response, and it is not the last step with an effect, which is left to read.
func (r *run) maySettle(s *plan.Step) bool {
	return r.Verb == plan.Update && len(s.Undo) == 0 && !r.Operation.Uses(s) && !operation.IsLastWrite(r.Run, s.Index)
}

// settled records that a step of an update was done, as something else than its response shows.
func (r *run) settled(s *plan.Step, by string) {
	r.Log.Message(operation.Info, "the response to "+s.Name+" of the update was lost: it was done, as "+by+" shows")
	operation.Found(r.Run, s, nil)
}

// wasDone reports whether read shows that a step of an update was done of which an attempt was lost, since a time, and a
// later one was refused. If it shows what was there before, no attempt had an effect: the error is that of a refusal then.
func (r *run) wasDone(ctx context.Context, s *plan.Step, since time.Time, err error) bool {
	failed := operation.RefusedInDoubt(r.Run, s, err, r.old.Private.Failed)
	if failed == nil || r.Undoing || r.Resource.Read == nil {
		return false
	}
	shown := compare.Unclear
	looked := r.RetryUntilSeen(ctx, since, func() (bool, error) {
		if reader, now, yield, err := r.ReadUnder(ctx, r.ID, r.old); err == nil {
			shown = reader.Shown(now, yield, compare.Sent{Rules: r.res.Rules(), Before: r.old, Given: r.Given}, r.Operation, s)
		}
		return shown != compare.Former, nil
	})
	if shown == compare.Former && looked == nil {
		failed.Status, failed.NoEffect = actions.Refused, true
	}
	if shown != compare.Wanted || !r.maySettle(s) {
		return false
	}
	r.settled(s, "read")
	return true
}

// leaveOpen records that the outcome of the step is unknown, and adds to the error what settles
// the intent.
func (n *sending) leaveOpen(err error) error { return n.withRemedy(n.markUnknown(err)) }

// markUnknown records that the outcome of the step is unknown. The error already names what settles
// the intent.
func (n *sending) markUnknown(err error) error {
	n.intent.Status, n.intent.Ongoing, n.intent.Sent = journal.Unknown, true, time.Now().UTC()
	n.intent.Error = screen.Show(err.Error(), n.Mask()).String()
	return errors.Join(err, n.book().Put(n.intent, true))
}

// withRemedy adds to an error that leaves an intent open what settles the intent.
func (n *sending) withRemedy(err error) error {
	var failed *operation.StepError
	refused := errors.As(err, &failed) && failed.Refused
	of := entries.Doubt{Resource: n.Resource, Verb: n.Verb, Step: n.step, Key: n.intent.Key, Refused: refused, Resent: n.resent, Renames: n.Verb == plan.Update && n.renames()}
	return fmt.Errorf("%w; %s", err, of.Remedy())
}
