package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
)

// sending is a step with an effect that is sent under an intent: the intent is in the journal
// before the step is sent, and an intent that an earlier run left open is settled first.
type sending struct {
	*Run
	step *plan.Step
	// sync is true if the intent must survive a loss of power.
	sync bool
	// intent is the intent of the step, as the journal has it.
	intent journal.Intent
	// doubt is true if an earlier run may have done the step.
	doubt bool
}

// settled runs a step, under an intent if it needs one.
func (r *Run) settled(ctx context.Context, s *plan.Step) (any, error) {
	before, sync := r.journalled(s)
	if !before {
		value, err := r.noted(s, func() (any, error) { return r.attempts(ctx, s, false) })
		return value, r.noteLate(s, err)
	}
	if _, err := r.rt.records.key(); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err) // without the key, intents of equal inputs cannot be recognized
	}
	n := &sending{Run: r, step: s, sync: sync}
	if err := n.begin(); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	// A step that may be repeated needs no find, unless find can prove who made the object.
	if n.doubt && r.Verb == plan.Create && r.res.Finds(s) && (n.intent.Looked || !s.Certainty.Repeatable()) {
		if found, err := n.takeOver(ctx); found != nil || err != nil {
			return found, err
		}
	}
	if n.doubt {
		moved, err := r.settleMove(ctx, s, &n.intent)
		if err != nil {
			return nil, n.leaveOpen(n.unknown(err))
		}
		if moved {
			r.mention(r.book().Put(n.intent, false))
			return nil, nil
		}
	}
	return n.send(ctx)
}

// begin writes a new intent to the journal, or continues that of an earlier run. In the second
// case the step may have been done already.
func (n *sending) begin() error {
	same, err := n.sameEffect(n.step)
	switch {
	case err != nil:
		return err
	case same == nil:
		n.doubt = n.begunBefore(n.step)
		n.intent, err = n.book().Begin(n.Run.intent(n.step), n.sync)
	default:
		n.doubt = true
		if n.intent, err = n.book().Claim(*same); err == nil && n.intent.Token != n.token {
			n.intent.Token = n.token
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

// takeOver looks for what an earlier run has made and adopts it. It returns nil if there is
// nothing: the step is then sent as if for the first time.
func (n *sending) takeOver(ctx context.Context) (any, error) {
	found, err := n.lookUntil(ctx, n.step, n.intent)
	if err != nil {
		return nil, n.leaveOpen(n.unknown(err))
	}
	if found != nil {
		value, err := n.adopt(ctx, found)
		if err == nil {
			n.Log.Message(Info, "an earlier run made it, and its response was lost: it was found, and is taken over")
		}
		return value, err
	}
	if err := n.again(); err != nil {
		return nil, n.leaveOpen(n.unknown(err))
	}
	n.doubt = false
	return nil, nil
}

// send sends the step and records its outcome in the journal.
func (n *sending) send(ctx context.Context) (any, error) {
	n.Run.sending = n
	defer func() {
		n.Run.sending = nil
		if bug := recover(); bug != nil {
			// The process goes on, and the intent must not look as if the step were running.
			n.intent.Status = journal.Unknown
			_ = n.book().Put(n.intent, true)
			panic(bug)
		}
	}()
	value, err := n.attempts(ctx, n.step, n.doubt)
	if err == nil && n.doubt {
		switch stale, looked := n.stale(ctx, value); {
		case looked != nil:
			return nil, n.leaveOpen(n.unknown(looked))
		case stale:
			if err = n.beginAnew(); err != nil {
				return nil, n.stop(n.step, 1, actions.Refused, err)
			}
			value, err = n.attempts(ctx, n.step, false)
		}
	}
	return n.close(ctx, value, err)
}

// unknown returns the error of a step with an unknown outcome.
func (n *sending) unknown(err error) error { return n.stop(n.step, 1, actions.Unknown, err) }

// again records that the step is sent again because the earlier attempts made nothing. The time
// for which find may not yet see the object starts anew.
func (n *sending) again() error {
	if n == nil {
		return nil // it has no intent
	}
	n.intent.Sent = time.Now().UTC()
	return n.book().Put(n.intent, true)
}

// stale reports whether the response to a step that was sent again with the key of an earlier
// run is the one that the server keeps for that key, while what it tells of has gone since.
func (n *sending) stale(ctx context.Context, response any) (bool, error) {
	if n.Verb != plan.Create || n.step.Certainty != actions.Keyed || n.step != n.res.Maker || n.res.Read == nil || n.until > 0 {
		return false, nil // a run that pauses behind it looks by itself
	}
	id := n.evalResultID(n.step, response)
	if id == "" {
		return false, nil
	}
	there := false
	err := n.untilSeen(ctx, journal.Intent{Sent: time.Now()}, func() (_ bool, err error) {
		there, err = n.standing(ctx, id)
		return there, err
	})
	return err == nil && !there, err
}

// beginAnew replaces the intent by a new one with another key.
func (n *sending) beginAnew() error {
	forgotten := n.book().RemoveOne(n.intent)
	n.Log.Message(Info, "the server returned the object that an earlier run had made, which is gone: creating it again")
	intent, err := n.book().Begin(n.Run.intent(n.step), n.sync)
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
		n.intent.Status, n.intent.ID = journal.Answered, n.resultID(n.step, value)
		if n.Verb == plan.Update && n.evalResultID(n.step, value) == "" {
			n.intent.Status = journal.Unknown // if this run ends here, find tells the id
		}
		n.mention(errors.Join(n.book().Put(n.intent, false), n.forgetFailed(n.step)))
		return value, nil
	}
	switch statusOf(err) {
	case actions.Refused, actions.Gone:
		return nil, errors.Join(err, n.book().RemoveOne(n.intent))
	case actions.Failed:
		n.intent.Status, n.intent.Error = journal.Failed, screen.Show(err.Error(), n.Mask()).String()
		return nil, errors.Join(err, n.book().Put(n.intent, false))
	}
	if stop.Err(ctx) == nil {
		if moved, looked := n.settleMove(ctx, n.step, &n.intent); looked != nil {
			err = errors.Join(err, looked)
		} else if moved {
			n.mention(n.book().Put(n.intent, false))
			return nil, nil
		}
	}
	if n.canLook(n.step) && stop.Err(ctx) == nil {
		switch found, looked := n.find(ctx, n.step); {
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

// adopt returns what find found as the result of the step, after its response was lost. It
// requires that the intent records that there was nothing before, and that notOwn finds nothing
// against it.
func (n *sending) adopt(ctx context.Context, found any) (any, error) {
	if n.intent.ID != "" && n.intent.ID != n.resultID(n.step, found) {
		switch there, err := n.standing(ctx, n.intent.ID); {
		case err != nil:
			return nil, n.leaveOpen(n.unknown(err))
		case there:
			return nil, n.leave(n.unknown(n.besides(n.step, found, n.intent)))
		}
		err := fmt.Errorf("it exists already%s, and is not what an earlier create made: import it if it is yours, else choose another name", n.describeID(n.step, found))
		return nil, errors.Join(n.stop(n.step, 1, actions.Refused, err), n.book().RemoveOne(n.intent))
	}
	why := "nobody knows whether this create made it"
	if n.intent.Looked {
		var err error
		if why, err = n.notOwn(ctx, n.step, found, nil, n.given); err != nil {
			return nil, n.leaveOpen(n.unknown(err))
		}
	}
	if why != "" {
		return nil, n.leave(n.unknown(fmt.Errorf("something is there now%s, and %s: if it is yours, import it; "+
			"else choose another name. Then `declprov journal forget %s` removes this create from the journal", n.describeID(n.step, found), why, n.intent.Key)))
	}
	n.effect(n.step, verdict.Verdict{Status: actions.Done, Value: found})
	n.intent.Status, n.intent.ID = journal.Answered, n.resultID(n.step, found)
	n.mention(n.book().Put(n.intent, false))
	return found, nil
}

// leaveOpen records that the outcome of the step is unknown, and adds to the error what settles
// the intent.
func (n *sending) leaveOpen(err error) error { return n.withRemedy(n.leave(err)) }

// leave records that the outcome of the step is unknown. The error already names what settles
// the intent.
func (n *sending) leave(err error) error {
	n.intent.Status, n.intent.Sent = journal.Unknown, time.Now().UTC()
	n.intent.Error = screen.Show(err.Error(), n.Mask()).String()
	return errors.Join(err, n.book().Put(n.intent, true))
}

// withRemedy adds to an error that leaves an intent open what settles the intent.
func (n *sending) withRemedy(err error) error {
	s, i := n.step, n.intent
	again := n.res.Finds(s) || s.Certainty.Repeatable() || n.Verb == plan.Update
	var failed *StepError
	refused := errors.As(err, &failed) && failed.refused
	switch {
	case refused && n.Verb == plan.Create && n.res.Maker != nil && s.Index > n.res.Maker.Index:
		return fmt.Errorf("%w; an earlier attempt may have had an effect, and this one was refused: look in the service for what it makes, and remove it if it is left of that; "+
			"then `declprov journal forget %s`, and `pulumi up`", err, i.Key)
	case refused && !n.res.Finds(s) && n.Verb == plan.Create:
		return fmt.Errorf("%w; an earlier attempt may have had an effect, and this one was refused: look for it in the service, and import it if it is there; "+
			"then `declprov journal forget %s` removes it from the journal", err, i.Key)
	case n.Verb == plan.Update && n.res.Find == nil && s.Certainty != actions.Keyed && n.renames():
		return fmt.Errorf("%w; nobody knows whether it has its new name: look for it in the service. If it has, run `pulumi state delete` and `pulumi import`, else `pulumi up`; "+
			"`declprov journal` lists it until `declprov journal forget %s`", err, i.Key)
	case again:
		return fmt.Errorf("%w; nobody knows whether it was done: run `pulumi up`, which settles it; `declprov journal` lists it until then", err)
	case s.Certainty == actions.Conditional:
		return fmt.Errorf("%w; nobody knows whether it was done: look for it in the service before you run `pulumi up` again, which is refused if it was; "+
			"`declprov journal` lists it until `declprov journal forget %s`", err, i.Key)
	default:
		return fmt.Errorf("%w; nobody knows whether it was done: look for it in the service before you run `pulumi up` again, which does it again; "+
			"`declprov journal` lists it until `declprov journal forget %s`", err, i.Key)
	}
}
