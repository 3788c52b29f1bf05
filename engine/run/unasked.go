package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// A create or an update may be unable to ask what became of what it has begun: only a lost response named it, or the server does
// not know it any more. Then the object itself decides, if it can.

// errAbsent is the error of an object that read or find does not find.
var errAbsent = errors.New("it is not there")

// proof finds out from the object what came of a step.
type proof struct{ *run }

// Unasked implements operation.Owner. Only a read that waits, by an `until` of its own, tells that the object is ready.
func (o owner) Unasked(ctx context.Context, s *plan.Step, lacks operation.Lacking) error {
	why := fmt.Errorf("the response to %s was lost, and what find has found in its place has no %s, so %s was not sent", lacks.Of.Name, lacks.Member, s.Name)
	if p := proof(o); p.readWaits() {
		shown := p.shows(ctx, s, lacks.Of)
		if shown == nil {
			o.Log.Message(operation.Info, why.Error()+": it is ready, as read shows")
			return nil
		}
		why = fmt.Errorf("%w, and read, which would tell: %w", why, shown)
	}
	return o.Stop(s, 1, actions.Failed, fmt.Errorf("%w; %s", why, recorded.UnaskedRemedy(o.res.Ref.Key)))
}

// settleAbsent returns nil if a step was told that what it asks for is not there, such as the operation that an earlier step has
// begun, and the object shows that the earlier step was done. It does so in a run that continues an earlier one: right after its
// request, the server may not show the operation yet.
func (p proof) settleAbsent(ctx context.Context, s *plan.Step, failure error) error {
	begun := plan.Waiting{Operation: p.Operation}.OriginOf(s)
	if operation.StatusOf(failure) != actions.Gone || p.Undoing || begun == nil || p.Verb != plan.Create && p.Verb != plan.Update {
		return failure
	}
	failure = fmt.Errorf("%w; %w", failure, verdict.ErrUntold)
	if !p.resumed {
		return failure
	}
	err := p.shows(ctx, s, begun)
	if err == nil {
		p.Log.Message(operation.Info, fmt.Sprintf("the server does not know any more what %s asks for: %s was done, as the object shows", s.Name, begun.Name))
		operation.StandIn(p.Run, s)
		return nil
	}
	return fmt.Errorf("%w, because %w; %s", failure, err, p.absentRemedy(err))
}

// absentRemedy says what to do if the object does not show what became of an operation either. why is what it shows.
func (p proof) absentRemedy(why error) string {
	switch {
	case errors.Is(why, errAbsent) && p.Resource.Read != nil:
		return "run `pulumi refresh`: the next `pulumi up` makes it again"
	case p.Verb == plan.Update && p.Resource.Read != nil:
		return "run `pulumi refresh`: the next `pulumi up` sends what differs"
	default:
		return recorded.UnaskedRemedy(p.res.Ref.Key)
	}
}

// shows returns nil if the object shows that a step with an effect was done, after which s was to ask what became of that.
func (p proof) shows(ctx context.Context, s, begun *plan.Step) error {
	switch {
	case len(p.Operation.RelyOn(map[int]bool{s.Index: true})) > 0:
		return errors.New("a later step requires the result of " + s.Name)
	case p.Verb == plan.Create:
		return p.showsCreate(ctx, begun)
	default:
		return p.showsUpdate(ctx, begun)
	}
}

// showsUpdate returns nil if read shows what a step of an update has sent.
func (p proof) showsUpdate(ctx context.Context, begun *plan.Step) error {
	if p.Resource.Read == nil {
		return errors.New("the spec has no read")
	}
	reader, now, yield, err := p.ReadUnder(ctx, p.ID, p.old)
	switch {
	case errors.Is(err, verdict.ErrGone):
		return errAbsent
	case err != nil:
		return p.Mask().Error(err)
	case reader.Shown(now, yield, compare.Sent{Rules: p.res.Rules(), Before: p.old, Given: p.Given}, p.Operation, begun) != compare.Wanted:
		return errors.New("read does not show what " + begun.Name + " has sent")
	}
	return nil
}

// showsCreate returns nil if the object of a create is there, and read shows what its maker has sent, as far as it shows that. Without
// read, find tells whether it is there.
func (p proof) showsCreate(ctx context.Context, begun *plan.Step) error {
	maker := p.Resource.Maker
	switch {
	case p.ID == "":
		return errors.New("its id is not known")
	case begun != maker:
		return errors.New("nothing shows what came of " + begun.Name)
	case p.Resource.Read != nil:
		there := false
		err := p.RetryUntilSeen(ctx, time.Now(), func() (_ bool, err error) {
			there, err = p.Exists(ctx, p.ID)
			return there, err
		})
		if err != nil {
			return err
		}
		if !there {
			return errAbsent
		}
		state := recorded.State{ID: p.ID, Inputs: p.Given, Private: recorded.Private{SchemaVersion: p.Resource.Spec.SchemaVersion}}
		why, err := p.Contradiction(ctx, maker, &state, nil, []property.Map{p.Given})
		if err == nil && why != "" {
			err = errors.New(why)
		}
		return err
	case p.Resource.Finds(maker):
		found, err := p.FindUntilSeen(ctx, maker, time.Now())
		if err == nil && (found == nil || p.ResultID(maker, found) != p.ID) {
			err = errAbsent
		}
		return err
	default:
		return errors.New("the spec has neither read nor find")
	}
}

// readWaits reports whether read waits until the object is ready.
func (p proof) readWaits() bool {
	return p.Resource.Read != nil && slices.ContainsFunc(p.Resource.Read.Steps, func(s *plan.Step) bool { return s.Until != nil })
}
