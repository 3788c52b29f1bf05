package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/operation"
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
		f, err := res.finder(ctx, inputs)
		if err != nil {
			return err
		}
		was := recorded.CurrentID(*s)
		f.TakeID(was)
		sent := compare.Sent{Rules: res.rules(), Before: *s, Given: inputs, Ignore: n.Withheld, Part: true}
		renamed, err := f.hasNewID(ctx, n.ID, n.Sent, sent)
		if renamed {
			err = res.taken(recorded.State{ID: n.ID, Inputs: inputs, Outputs: s.Outputs}, "a response to an update names it")
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
	return res.findOwnID(ctx, recorded.CurrentID(s), inputs, s)
}

// findOwnID returns the id of what find finds by the inputs of a lost update of a recorded state with an
// id, "" if that is nothing, or another object. An object with another id is the resource only if each
// property has its recorded value, or the value that the update was to give it, and if the old id is not
// in use. It returns an error if both objects may be the resource.
func (res resource) findOwnID(ctx context.Context, was string, inputs property.Map, before recorded.State) (string, error) {
	id, f, found, err := res.findID(ctx, inputs)
	if err != nil || id == "" || id == was {
		return id, err
	}
	f.stable = before.Outputs
	why, err := f.claimFound(ctx, res.Maker, found, nil, inputs, before.Inputs)
	if err == nil && why == "" {
		why, err = f.ownUnderID(ctx, was, id, before)
	}
	if err != nil || why == "" {
		return id, err
	}
	f.Log.Message(operation.Warning, fmt.Sprintf("an update may have given it another id. Something is there now%s, and %s: it is left alone", f.describeID(res.Maker, found), why))
	return "", nil
}

// findID returns the id of what find finds by these inputs, "" if that is nothing, and the finder
// that found it.
func (res resource) findID(ctx context.Context, inputs property.Map) (id string, f finder, found any, err error) {
	if res.Maker == nil {
		return "", finder{}, nil, nil
	}
	f, err = res.finder(ctx, inputs)
	if err != nil {
		return "", finder{}, nil, err
	}
	found, err = f.find(ctx, res.Maker)
	if err != nil || found == nil {
		return "", finder{}, nil, f.Mask().Error(err)
	}
	f.HideLatestResponse()
	f.SetResult(res.Maker, found)
	id, err = f.EvalID()
	return id, f, found, f.Mask().Error(err)
}

// ownUnderID returns why the object with the old id is the resource still, although there is one that a
// lost update of one step may have given another id: then the update was not done. It returns "" if
// the old id is not in use, or if its object is that of somebody else, and an error if nothing shows whose
// it is. With more steps than one, an update may make a copy first and remove the old object later.
func (f finder) ownUnderID(ctx context.Context, was, now string, before recorded.State) (why string, err error) {
	if f.Resource.Update.Writes() != 1 || f.Resource.Read == nil || !f.Resource.Read.RefersToState() {
		return "", nil
	}
	old := recorded.State{ID: was, Inputs: before.Inputs, Outputs: before.Outputs, Private: recorded.Private{SchemaVersion: f.Resource.Spec.SchemaVersion, Lookup: true}}
	reader, yield, err := f.readAs(ctx, old)
	if err != nil {
		return "", nil
	}
	seen, _ := reader.State(old, yield, false)
	if seen == nil || seen.ID != was {
		return "", nil
	}
	if differs, _ := reader.CompareRest(old, *seen); differs != "" {
		return "", nil
	}
	if _, known := reader.CompareStable(old, *seen); known {
		return fmt.Sprintf("what had the id %q is there, too", was), nil
	}
	return "", fmt.Errorf("it may have the id %q or %q: both objects exist, and nothing shows which of them is its own. Look in the service: if it is %q, run `pulumi state delete '%s'`, and import it; if it is %q, run `declprov journal forget` with the key that `declprov journal` lists", was, now, now, f.res.ref.Key, was)
}

// readAs reads the resource with a state, with the permissions of the finder.
func (f finder) readAs(ctx context.Context, s recorded.State) (reading.Reading, any, error) {
	r := f.res.reading(ctx, s)
	r.Env = f.Env
	yield, err := r.Read(ctx)
	return r, yield, err
}
