package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
)

// A lost response to an update that gives the resource another id leaves the state with an id that
// no longer exists. What find finds by the inputs of that update tells the new one.

// takeNamed gives a state the id that a response to an update named which did not finish, if read shows that it is that of the
// object.
func (res resource) takeNamed(ctx context.Context, s *recorded.State) error {
	about := res.entries(s.Private.Token)
	list, err := about.Named(*s)
	if err != nil || res.Read == nil {
		return err
	}
	for _, n := range list {
		inputs, err := value.DecodeRecorded(n.Inputs)
		if err != nil {
			return err
		}
		f, err := res.Finder(ctx, inputs)
		if err != nil {
			return err
		}
		was := recorded.CurrentID(*s)
		f.TakeID(was)
		sent := compare.Sent{Rules: res.Rules(), Before: *s, Given: inputs, Ignore: n.Withheld, Part: true}
		renamed, err := f.HasNewID(ctx, n.ID, n.Sent, sent)
		if renamed {
			err = res.Taken(recorded.State{ID: n.ID, Inputs: inputs, Outputs: s.Outputs}, "a response to an update names it")
		}
		switch {
		case errors.Is(err, reading.ErrUnlike):
			res.warn(fmt.Errorf("a response to an update of it, which was not finished, names the id %q: %w", n.ID, err))
			continue
		case errors.Is(err, verdict.ErrGone):
			continue // read finds neither
		case err != nil:
			return fmt.Errorf("an update of it was not finished, and a response to it names the id %q: %w", n.ID, err)
		case renamed:
			was = n.ID
		}
		s.SettleNamed(was)
		res.warn(about.SettleNamed(*s, n.ID))
	}
	return nil
}

// relocate finds the id that a lost update may have given the resource, and gives it to the
// state. What find finds counts only if it found nothing but the resource itself before the
// update was sent.
func (res resource) relocate(ctx context.Context, s *recorded.State) error {
	if err := res.takeNamed(ctx, s); err != nil || s.Private.Token == "" || !res.Journals() {
		return err
	}
	list, err := res.book(s.Private.Token).Intents()
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.Operation != journal.Update || i.Token != s.Private.Token || i.UnderWay() || i.Status == journal.Failed {
			continue // what failed was answered, and gives no right to what is found now
		}
		id := i.ID
		if i.Status == journal.Answered && !i.Moved {
			continue // its id is the one before
		}
		if i.Status != journal.Answered {
			if id, err = res.findIDAfter(ctx, i, *s); err != nil {
				return fmt.Errorf("an update of it, whose response was lost, is still open: %w", err)
			}
		}
		if id != "" && id != recorded.CurrentID(*s) {
			s.Private.ID = id
		}
	}
	return nil
}

// relocateWithInputs is relocate for reads and deletes, which see the resource as it is now: the
// inputs that the id gives are those of the new id.
func (res resource) relocateWithInputs(ctx context.Context, s *recorded.State) error {
	if err := res.relocate(ctx, s); err != nil || s.Private.ID == "" {
		return err
	}
	var err error
	s.Inputs, err = recorded.WithIDInputs(res.Resource, res.all.Config, s.Private.ID, s.Inputs)
	return err
}

// findIDAfter returns the id that find gives after a lost update of a state, "" if it gives none.
func (res resource) findIDAfter(ctx context.Context, i journal.Intent, s recorded.State) (string, error) {
	if res.Find == nil || !i.Looked || len(i.Withheld) > 0 || len(i.Inputs) == 0 {
		return "", nil
	}
	inputs, err := value.DecodeRecorded(i.Inputs)
	if err != nil {
		return "", err
	}
	return res.FindOwnID(ctx, recorded.CurrentID(s), inputs, s)
}
