package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/deletion"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
)

// Forget is the delete of a resource without one, whose object stays. What the journal says about how the object was made has no
// reader any more.
func (rs *Resources) Forget(of *plan.Resource, state recorded.State, req DeleteRequest) {
	res := rs.resource(of, req.Ref, req.Log)
	res.warn(res.entries(state.Private.Token).SettleDeleted(state, true))
}

// Delete removes a resource. It succeeds if the resource, or a part of it, is gone already.
func (rs *Resources) Delete(ctx context.Context, of *plan.Resource, state recorded.State, req DeleteRequest) error {
	res := rs.resource(of, req.Ref, req.Log)
	if res.skipSuperseded(state) {
		return nil
	}
	ctx, cancel := stop.After(ctx, req.Timeout)
	defer cancel()
	about := res.entries(state.Private.Token)
	if err := about.RefuseBusy(state); err != nil {
		return err
	}
	if err := res.relocateWithInputs(ctx, &state); err != nil {
		return err
	}
	if err := recorded.CheckComplete(of, state, plan.Delete); err != nil {
		return err
	}
	if res.Read != nil && time.Now().Before(state.Private.VisibleBy) {
		// A server that does not show the object yet would not find it either, and keep it.
		if _, _, err := res.ReadUntilSeen(ctx, state); stop.Err(ctx) != nil {
			return err
		}
	}
	if gone, err := (missingObject{res, state}).refuseUnproven(ctx); gone || err != nil {
		return err
	}
	now, err := res.WithCurrentInputs(ctx, res.Delete, state)
	if err != nil {
		return err
	}
	r := res.begin(ctx, res.Delete, plan.Delete)
	r.Recall(now)
	r.ETags = state.Private.ETags
	if err := r.Open(); err != nil {
		return err
	}
	d := &deletion.Deletion{Run: r.Run, Instance: res.Instance, About: about, State: state, Configuration: rs.journal.Configuration}
	r.Owner = deleting{owner{r}, d}
	if err := d.Resume(ctx); err != nil {
		return r.Mask().Error(err)
	}
	defer d.OpenOnPanic()
	if res.IsGoneUntagged(ctx, state) {
		d.Skip()
	}
	err = r.Steps(ctx)
	if err == nil {
		// What is to be removed may be on the pages that were left out.
		err = r.NotOnPages(r.Operation.Steps...)
	}
	if err == nil && r.Denied != nil {
		err = missingObject{res, state}.confirmDeleted(ctx, r.Denied)
	}
	if err != nil {
		return r.Mask().Error(d.Failed(err)) // with the secrets that the steps have seen
	}
	rs.Tokens.Delete(res.Object(state), state.Private.Token)
	r.warn(errors.Join(d.Done(), about.SettleDeleted(state, r.Missed)))
	if r.Missed {
		res.listUnseen(state)
	}
	r.warnLeftAlone(state)
	return nil
}

// deleting implements operation.Owner for a delete.
type deleting struct {
	operation.Owner
	of *deletion.Deletion
}

// Send implements operation.Owner: what was done so far is in the journal before the step runs.
func (d deleting) Send(ctx context.Context, s *plan.Step) (value any, err error) {
	if err := d.of.Keep(s); err != nil {
		return nil, d.of.Stop(s, 1, actions.Refused, err)
	}
	if d.of.Doubts(s) {
		value, err = d.of.Attempts(ctx, s, true)
	} else {
		value, err = d.Owner.Send(ctx, s)
	}
	if err == nil || operation.StatusOf(err) == actions.Gone {
		d.of.Sent(s)
	}
	return value, err
}

// Sign implements operation.Owner.
func (d deleting) Sign(call *actions.Call, s *plan.Step) { call.Key = d.of.Key(s) }

// BeforeRepeat implements operation.Owner.
func (d deleting) BeforeRepeat(ctx context.Context, _ *plan.Step, _ actions.Status, doubt bool) (operation.Repeat, error) {
	if !doubt {
		return operation.Repeat{Send: true}, nil
	}
	return d.of.Confirm(ctx)
}

// refuseUnproven returns an error if nothing proves that the object of a state is what its create has made, because that has
// stopped halfway. It reports whether it is gone, as read says.
func (m missingObject) refuseUnproven(ctx context.Context) (gone bool, err error) {
	if !recorded.IsUnproven(m.Resource, m.state) {
		return false, nil
	}
	if m.Read != nil {
		_, _, err = m.ReadUntilSeen(ctx, m.state)
		gone = errors.Is(err, verdict.ErrGone) && !errors.Is(err, verdict.ErrDenied)
	}
	if gone {
		return true, nil
	}
	return false, recorded.UnprovenError(m.Ref, err)
}

// skipSuperseded reports whether the object of a state belongs to a later state, and says so.
func (res resource) skipSuperseded(s recorded.State) bool {
	by, superseded := res.all.Tokens.Superseded(res.Object(s), s.Private.Token)
	if !superseded && res.KnowsObjects {
		by, superseded = res.all.Tokens.Another(res.Object(s), res.Ref, s.Private.Token)
	}
	if superseded && res.Log != nil {
		text := fmt.Sprintf("nothing is deleted: the %s %q was replaced, and its replacement has the same id", res.Spec.Name, recorded.CurrentID(s))
		if by.Resource != recorded.OwnerName(res.Ref) {
			text = fmt.Sprintf("nothing is deleted: the %s %q belongs to %s", res.Spec.Name, recorded.CurrentID(s), by.Resource)
		}
		res.Log.Message(operation.Info, screen.Show(text, nil))
	}
	return superseded
}
