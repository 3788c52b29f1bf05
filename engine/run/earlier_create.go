package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
)

// earlier settles what earlier creates of the same resource left open. Its run is the new create,
// or the continuation of an earlier one.
type earlier struct{ *run }

// beginAgain returns a run of an earlier create with its inputs.
func (r earlier) beginAgain(ctx context.Context, inputs property.Map) earlier {
	old := r.res.beginWith(ctx, r.res.Create, plan.Create, inputs)
	old.Token, old.journal = r.Token, r.book()
	return earlier{old}
}

// settle settles what an earlier create of the same resource, with other inputs, left open, before
// the new one is sent. If the earlier one made the object, the result is its state with an error,
// and the next run updates it to the new inputs. It returns false if there is nothing to record.
func (r earlier) settle(ctx context.Context) (Result, bool) {
	if r.Resource.Maker == nil {
		return Result{}, false
	}
	if err := r.refuseOthers(); err != nil {
		return Result{Err: r.Mask().Error(err)}, true
	}
	if !r.book().MayHaveIntents() {
		return Result{}, false
	}
	list, err := r.book().Earlier()
	if err == nil {
		err = cmp.Or(r.refuseHanded(ctx, list), r.checkSpec(list))
	}
	if err != nil {
		return Result{Err: r.Mask().Error(err)}, true
	}
	if out, settled := halfMade(r).settle(ctx, list); settled {
		return out, true
	}
	for _, i := range list {
		if !r.isOther(i) {
			continue
		}
		if i.UnderWay() {
			return Result{Err: &journal.BusyError{Intent: i}}, true
		}
		if r.supersedes(i) {
			continue
		}
		out, err := r.settleOther(ctx, i)
		switch {
		case err != nil:
			return Result{Err: r.Mask().Error(fmt.Errorf("an earlier create of it, with other inputs, is still open: %w; `declprov journal settle %s` settles it, `declprov journal forget %s` forgets it", err, i.Key, i.Key))}, true
		case out != nil:
			return Result{State: out, Err: errors.New("an earlier create of it, with other inputs, had been done; that is recorded now: run `pulumi up` again to bring it to the inputs of now")}, true
		}
	}
	return Result{}, false
}

// isOther reports whether an entry is of a create with other inputs, which may have made something here.
func (r earlier) isOther(i journal.Intent) bool {
	if entries.Elsewhere(r.Resource, i) != "" || !r.mayContinue(i) && r.Resource.CanTell() {
		return false
	}
	return i.Operation == journal.Create && i.Step == r.Resource.Maker.Index && i.Hash != r.inputsHash() && i.Status != journal.Failed
}

// supersedes reports whether the create leaves nothing of an earlier one with other inputs: it is safe to repeat, and its address is the same,
// as that of settings is.
func (r earlier) supersedes(i journal.Intent) bool {
	maker := r.Resource.Maker
	names, known := plan.AddressInputs(r.Resource)
	if !known || maker.Certainty != actions.Safe || r.Resource.Finds(maker) || r.Resource.Read == nil {
		return false
	}
	if names == nil {
		return true
	}
	if len(i.Inputs) == 0 { // it was done: then the entry has the id in their place
		isOther := func(name string) bool { return !slices.Contains(r.Resource.Identity.OfInputs, name) }
		return i.ID != "" && r.Resource.Identity.ID.IsSet() && !slices.ContainsFunc(names, isOther) && i.ID == r.EvalPublicID()
	}
	inputs, _, err := r.inputsOf(i)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains(i.Withheld, name) || !value.PlainEqual(inputs.Get(name), r.Given.Get(name))
	})
}

// forgetSuperseded removes the entries of earlier creates of which this one has left nothing.
func (r earlier) forgetSuperseded() error {
	if r.Resource.Maker == nil || !r.book().MayHaveIntents() {
		return nil
	}
	list, err := r.book().Earlier()
	for _, i := range list {
		if r.isOther(i) && i.Token != r.Token && !i.UnderWay() && r.supersedes(i) {
			err = errors.Join(err, r.book().RemoveOne(i))
		}
	}
	return err
}

// refuseOthers refuses a create if an earlier one may have been done under other settings.
func (r earlier) refuseOthers() error {
	i, differ, err := entries.Entries{Resource: r.Resource, Book: r.book()}.OfOtherSettings(r.res.all.journal.Configuration)
	if i == nil {
		return err
	}
	return r.Stop(r.Resource.Maker, 1, actions.Refused, fmt.Errorf("an earlier create of it may have been done, when the provider's configuration had another value of %s: "+
		"run `pulumi up` with the configuration of then, or `declprov journal settle %s`, which looks with that", cmp.Or(diag.And(differ), "a setting"), i.Key))
}

// checkSpec warns of open creates that the spec now sends to another address, and refuses a create if an
// earlier one is open that only the `find` or the key could settle that the spec no longer has.
func (r earlier) checkSpec(list []journal.Intent) error {
	warnings, refusal := entries.Creates{Entries: r.entries()}.CheckSpec(list)
	for _, w := range warnings {
		r.Log.Message(operation.Warning, w)
	}
	if refusal != nil {
		return r.Stop(r.Resource.Maker, 1, actions.Refused, refusal)
	}
	return nil
}

// settleOther settles an open intent of a create with other inputs, and returns the state of what
// that made. It returns nil if it made nothing, or if that cannot be found out: then the intent
// stays in the journal.
func (r earlier) settleOther(ctx context.Context, i journal.Intent) (*recorded.State, error) {
	maker := r.Resource.Maker
	inputs, whole, err := r.inputsOf(i)
	if err != nil {
		return nil, err
	}
	if !whole && maker.Certainty == actions.Keyed && !r.Resource.Finds(maker) {
		return nil, fmt.Errorf("it may have been done, and only the same request under the same key could tell. That had another %s, which the journal does not hold: "+
			"give the program the values of then and run `pulumi up`, or look for the object in the service", diag.And(i.Withheld))
	}
	if !r.Resource.CanTell() || !whole {
		r.Log.Message(operation.Warning, fmt.Sprintf("an earlier create of this %s, with other inputs, may have been done, and nothing can tell: "+
			"`declprov journal` lists it as %s", r.res.Ref.Type, i.Key))
		return nil, nil
	}
	if absent := recorded.NewlyRequired(r.Resource, inputs); maker.Certainty != actions.Keyed && recorded.NotGivenFor(absent, inputs, r.Resource.Find) != nil {
		return nil, fmt.Errorf("the spec has changed since, and find needs %s, which that create did not have", diag.And(absent))
	}
	old := r.beginAgain(ctx, inputs)
	old.hash = i.Hash // what is recorded of the inputs may not be all of them
	old.looked = i.Looked
	if err := old.Open(); err != nil {
		return nil, err
	}
	if maker.Certainty == actions.Keyed {
		// Under its key it has one effect, then or now.
		gone, out := old.replay(ctx)
		r.entry = old.entry
		switch {
		case gone:
			return nil, r.book().RemoveOne(i)
		case out.State == nil:
			return nil, out.Err
		}
		return old.markEarlierInputs(out.State), nil
	}
	return old.settleByFind(ctx, i)
}

// inputsOf returns the inputs of an earlier create, and whether they are all there.
func (r earlier) inputsOf(i journal.Intent) (inputs property.Map, whole bool, err error) {
	return entries.InputsOf(i, r.Given, r.res.all.journal.Hash)
}

// settleByFind settles the intent of an earlier create, whose run this is, by what find finds.
func (r earlier) settleByFind(ctx context.Context, i journal.Intent) (*recorded.State, error) {
	maker := r.Resource.Maker
	found, err := r.FindUntilSeen(ctx, maker, i.LastSent())
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, r.book().RemoveOne(i)
	}
	if !i.Looked {
		return nil, fmt.Errorf("something is there now%s, and it is not known whether that create made it: if it did, import it or remove it, else leave it alone; then `declprov journal forget %s`", r.DescribeID(maker, found), i.Key)
	}
	switch why, err := r.ClaimFound(ctx, maker, found, nil, r.Given); {
	case err != nil:
		return nil, err
	case why != "":
		return nil, fmt.Errorf("something is there now%s, and %s: import it if it is yours, else leave it alone; then `declprov journal forget %s`", r.DescribeID(maker, found), why, i.Key)
	}
	r.Record(maker, found)
	operation.StandIn(r.Run, maker)
	id, err := r.EvalID()
	if err == nil && id == "" {
		err = errors.New("what find found has no id")
	}
	if err != nil {
		return nil, err
	}
	if i.ID != "" && i.ID != id {
		there, err := r.Exists(ctx, i.ID)
		if err == nil && there {
			err = entries.OtherObjectError(i, r.DescribeID(maker, found))
		}
		if err != nil {
			return nil, err
		}
		return nil, r.book().RemoveOne(i) // what it made is gone, and this is somebody else's
	}
	r.TakeID(id)
	i.Status, i.Token = journal.Answered, r.Token
	r.Failed = maker.Index + 1 // the later steps did not run
	return r.markEarlierInputs(r.newState(outputs.Partial(r.Run, r.Mask()))), r.book().Put(i, false)
}

// refuseHanded refuses a create if an earlier create of the same resource succeeded, its state was
// given to the host, and the object may still exist. Either the host was killed before it recorded
// the state, and a second object would be made; or the stack or the resource was renamed, and the
// object belongs to the renamed one. If the object no longer exists, the intent is removed.
func (r earlier) refuseHanded(ctx context.Context, list []journal.Intent) error {
	for _, i := range list {
		tells := entries.IsHalfMade(i) && (r.Resource.MakesMore() || entries.NamesAnother(i, r.EvalPublicID())) || i.Operation == journal.Create && i.Step == r.Resource.Maker.Index && r.Resource.CanTell()
		if !tells || i.Status != journal.Handed || entries.Elsewhere(r.Resource, i) != "" {
			continue
		}
		there, err := r.mayStillExist(ctx, i)
		if !there {
			if err := r.book().Remove(i.Accompanies); err != nil {
				return err
			}
			continue
		}
		is := "which still exists"
		if err != nil {
			is = fmt.Sprintf("and it is not known whether that still exists (%v)", err)
		}
		remedy := entries.HandedRemedy(i, r.Resource.FindFirst, r.res.all.Tokens.HasOther(r.res.Object(recorded.State{ID: i.ID, Inputs: r.Given}), r.res.Ref))
		return r.Stop(r.Resource.Maker, 1, actions.Refused, fmt.Errorf("an earlier create of it was done on %s: Pulumi was told of %q, %s, so nothing was sent. %s",
			i.LastSent().Format(time.DateTime), i.ID, is, remedy))
	}
	return nil
}

// mayStillExist reports whether the object of an intent may exist without an owner. If that cannot
// be found out, it returns true and the error.
func (r earlier) mayStillExist(ctx context.Context, i journal.Intent) (bool, error) {
	inputs := r.Given
	if i.Hash != r.inputsHash() {
		var err error
		if inputs, err = value.DecodeRecorded(i.Inputs); err != nil {
			return true, err
		}
	}
	by, known := r.res.all.Tokens.Owner(r.res.Object(recorded.State{ID: i.ID, Inputs: inputs}))
	if known && by.Resource != recorded.OwnerName(r.res.Ref) {
		return false, nil
	}
	id := i.ID
	if r.Resource.Read == nil {
		i.ID = "" // then find tells
	}
	old := r.beginAgain(ctx, inputs)
	if err := old.Open(); err != nil {
		return true, err
	}
	there := false
	err := old.RetryUntilSeen(ctx, i.LastSent(), func() (bool, error) {
		found, err := settling{old.Finder, old.res, i}.lookUp(ctx)
		there = found.Found && found.ID == id
		return there, err
	})
	return there || err != nil, err
}

// replay sends a create again under its key, which returns the object that it made before, and
// runs the rest of it. A server may repeat its stored response although the object was deleted
// since: then replay reports that it is gone, and runs no further steps.
func (r earlier) replay(ctx context.Context) (gone bool, out Result) {
	maker := r.Resource.Maker
	if r.Resource.Read == nil || maker.ForEach != nil {
		return false, r.finishCreate(ctx)
	}
	ctx, release, err := r.Lock(ctx)
	if err != nil {
		return false, r.afterFailure(ctx, err)
	}
	defer release()
	r.Until = maker.Index + 1
	if err := r.Steps(ctx); err != nil {
		return false, r.afterFailure(ctx, err)
	}
	if r.ID != "" {
		if there, err := r.Exists(ctx, r.ID); err == nil && !there {
			return true, Result{}
		}
	}
	r.Until, r.Finished = 0, map[int]bool{}
	for i := range maker.Index + 1 {
		r.Finished[i] = true
	}
	return false, r.finishCreate(ctx)
}

// markEarlierInputs adds the inputs of the earlier create to the state of what it made, because the
// host records the new ones.
func (r earlier) markEarlierInputs(s *recorded.State) *recorded.State {
	if s.Private.Failed == nil {
		s.Private.Failed = operation.Stopped(r.Run, r.Given, len(r.Results), errors.New("it was made with other inputs"))
	}
	s.KeepOriginal(r.Given)
	return s
}
