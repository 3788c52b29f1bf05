package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec/expr"
)

// owner implements operation.Owner for a run that changes a resource.
type owner struct{ *run }

// BeforeWrite looks for the object before the first effect of a create or an update.
func (o owner) BeforeWrite(ctx context.Context, s *plan.Step) error {
	if err := o.claimNamed(s); err != nil {
		return err
	}
	if err := o.lookFirst(ctx); err != nil {
		return err
	}
	if actions.LookOf(ctx) != nil {
		return o.Stop(s, 1, actions.Refused, actions.ErrLooked)
	}
	if before, _ := o.journalled(s); before {
		return o.findBeforeUpdate(ctx)
	}
	return nil
}

// Send runs a step, under an intent if it needs one, after what a create has made so far is in the journal.
func (o owner) Send(ctx context.Context, s *plan.Step) (any, error) {
	if err := halfMade(o).keep(s); err != nil {
		return nil, o.Stop(s, 1, actions.Refused, err)
	}
	value, err := o.send(ctx, s)
	err = proof(o).settleAbsent(ctx, s, err)
	o.news = o.news || err == nil && s.Effect == actions.Write
	if err == nil && o.Verb == plan.Update && !o.Undoing && s.Effect == actions.Write && o.At == "" {
		o.warn(o.keepNamed(s, value))
	}
	return value, err
}

func (o owner) send(ctx context.Context, s *plan.Step) (any, error) {
	before, sync := o.journalled(s)
	if !before {
		value, err := o.withUnmadeIntent(ctx, s)
		if o.wasDone(ctx, s, time.Now(), err) {
			return nil, nil
		}
		return value, o.recordLater(s, err)
	}
	if _, err := o.res.all.journal.Key(); err != nil {
		return nil, o.Stop(s, 1, actions.Refused, err) // without the key, intents of equal inputs cannot be recognized
	}
	n := &sending{run: o.run, step: s, sync: sync}
	if err := n.begin(); err != nil {
		return nil, o.Stop(s, 1, actions.Refused, err)
	}
	defer func() { o.Entry = n.intent.Key }() // another one, if the step is begun again
	// A step that may be repeated needs no find, unless find can prove who made the object.
	if n.doubt && o.Verb == plan.Create && o.Resource.Finds(s) && (n.intent.Looked || !s.Certainty.Repeatable()) {
		if found, err := n.takeOver(ctx); found != nil || err != nil {
			return found, err
		}
	}
	if n.doubt {
		if moved, err := n.settleMove(ctx); err != nil {
			return nil, n.leaveOpen(n.unknown(err))
		} else if moved {
			return nil, nil
		}
	}
	return n.send(ctx)
}

// Sign gives a call the key of the step's intent, and the mark by which a step of a create
// recognizes its own work.
func (o owner) Sign(call *actions.Call, s *plan.Step) {
	if o.sending != nil {
		call.Key = o.sending.intent.Key
	}
	call.Mark = o.markOf(s)
}

// CanLook reports whether the resource's find can tell the outcome of a step.
func (o owner) CanLook(s *plan.Step) bool {
	return o.Verb == plan.Create && !o.Undoing && o.res.Finds(s) && o.looked
}

// Certainty returns how far a step may be repeated after its response was lost. An update that
// may rename the resource is not safe to repeat, whatever its method: once it was done, the
// second request addresses the old name, and its "not found" proves nothing.
func (o owner) Certainty(s *plan.Step) actions.Certainty {
	if s.Certainty == actions.Safe && o.Verb == plan.Update && !o.Undoing && o.renames() {
		return actions.Conditional
	}
	return s.Certainty
}

// BeforeRepeat looks for what the attempts so far have made, if that cannot be repeated safely.
func (o owner) BeforeRepeat(ctx context.Context, s *plan.Step, status actions.Status, doubt bool) (operation.Repeat, error) {
	next := operation.Repeat{Send: true}
	if doubt && !s.Certainty.Repeatable() && o.CanLook(s) {
		found, other, err := o.lookAgain(ctx, s)
		switch {
		case err != nil || other:
			return operation.Repeat{}, err
		case found != nil:
			return operation.Repeat{Found: found}, nil
		}
		next.Undone = true
		if err := o.sending.markResent(); err != nil {
			return next, err
		}
	}
	if status == actions.Failed && o.Verb == plan.Create && !o.Undoing && o.res.Finds(s) && !s.Certainty.Repeatable() {
		found, err := o.FindUntilSeen(ctx, s, time.Now())
		if err == nil && found != nil {
			err = fmt.Errorf("it is not retried, because the object exists now%s, and the failed attempt may have made it: "+
				"delete it or import it, then run `pulumi up`", o.DescribeID(s, found))
		}
		next.Send = err == nil // another attempt could make it twice
		return next, err
	}
	return next, nil
}

// Recorded evaluates the id of a create after the step that it depends on. A create that is
// resumed evaluates the id again only if that step runs again.
func (o owner) Recorded(s *plan.Step) error {
	if o.Verb != plan.Create || s.Index < o.res.IDAfter || s.Index > o.res.IDAfter && o.ID != "" {
		return nil
	}
	id, err := o.EvalID()
	if err != nil {
		return o.Stop(s, 1, actions.Failed, err)
	}
	if id == "" {
		return nil
	}
	if err := o.res.Claim(recorded.State{ID: id, Inputs: o.Given}, o.Token, recorded.ResponseRemedy); err != nil {
		return o.Stop(s, 1, actions.Failed, err)
	}
	o.TakeID(id)
	return nil
}

// Restarted reads the journal again: a step that failed has changed it.
func (o owner) Restarted() { o.book().Reread() }

// lookFirst runs `find` before the first effect of a create. If the object exists already, the
// create is refused, because the object is somebody else's. If there is nothing, the create may
// later adopt what find finds after a lost response.
func (o owner) lookFirst(ctx context.Context) error {
	if o.Verb != plan.Create || o.Preview || o.Undoing || o.looked || o.resumed && !o.remakes || !o.Resource.FindFirst {
		return nil
	}
	list, err := o.book().Earlier()
	if err != nil {
		return o.Stop(o.Resource.Maker, 1, actions.Refused, err)
	}
	for _, i := range list {
		if i.Operation == journal.Create && i.Step == o.Resource.Maker.Index && i.Hash == o.inputsHash() && i.Looked && o.mayContinue(i) {
			o.looked = true // an earlier run of the same create found nothing
			return nil
		}
	}
	found, err := o.Find(ctx, o.Resource.Maker)
	if err != nil && !errors.As(err, new(*operation.UnlikeError)) { // an object of another type exists too
		return o.Stop(o.Resource.Maker, 1, actions.Refused, fmt.Errorf("looking whether it exists: %w", err))
	}
	if l := actions.LookOf(ctx); l != nil {
		l.Asked, l.Found = true, found != nil
	}
	if found != nil {
		there := o.res.Object(recorded.State{ID: o.ResultID(o.Resource.Maker, found), Inputs: o.Given})
		remedy := o.res.all.Tokens.RemedyFor(there, o.res.Ref, o.Token, o.IsGone(ctx, o.FoundID(o.Resource.Maker, found)))
		return o.Stop(o.Resource.Maker, 1, actions.Refused, fmt.Errorf("it exists already%s, and nothing was sent: %s", o.DescribeID(o.Resource.Maker, found), remedy))
	}
	o.looked = true
	return nil
}

// lookAgain looks for what an attempt with an unknown outcome may have made, before the step is
// sent again. other is true if it finds an object that may be somebody else's.
func (o owner) lookAgain(ctx context.Context, s *plan.Step) (found any, other bool, err error) {
	found, err = o.FindUntilSeen(ctx, s, time.Now())
	if err != nil || found == nil {
		return nil, false, err
	}
	why, err := o.ClaimFound(ctx, s, found, nil, o.Given)
	if err != nil || why != "" {
		return nil, true, err
	}
	operation.Found(o.Run, s, found)
	return found, false, nil
}

// findBeforeUpdate runs find before an update is sent whose outcome only find could tell later.
// If the inputs lead to nothing but the resource itself, what find finds afterwards proves that
// the update was done.
func (o owner) findBeforeUpdate(ctx context.Context) error {
	if o.Verb != plan.Update || o.Preview || o.looked || o.Resource.Find == nil {
		return nil
	}
	id, f, found, err := o.res.FindID(ctx, o.Given)
	if errors.Is(err, expr.ErrSeveral) && !o.res.Rules().Differ(ctx, o.Resource.SoughtBy, o.Before, o.Given) {
		return nil // the id tells which of them it is; find proves nothing afterwards
	}
	if err != nil {
		return o.Stop(o.Operation.Steps[0], 1, actions.Refused, fmt.Errorf("looking for it before it is changed: %w", err))
	}
	o.looked, o.vacant = id == "" || id == o.ID, id == ""
	if !o.looked && o.res.Rules().Differ(ctx, o.Resource.SoughtBy, o.Before, o.Given) && o.Resource.FindFirst && !o.resumed && !o.Effected {
		return o.Stop(o.Operation.Steps[0], 1, actions.Refused, fmt.Errorf("it exists already%s, and nothing was sent: choose another name, or remove that object", f.DescribeID(o.Resource.Maker, found)))
	}
	return nil
}
