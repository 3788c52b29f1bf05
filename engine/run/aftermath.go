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
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec/screen"
)

// aftermath determines what a create leaves that failed: nothing, if nothing was made, if it is
// not known whether anything was made, or if all of it was undone; otherwise a state from which
// the next run continues.
type aftermath struct {
	*run
	// failure is the error of the create, with what was done since.
	failure error
	// undone are the steps that were undone, by index: true if what they had made was
	// removed. It is nil if nothing may be undone.
	undone map[int]bool
	// doubted are the steps of which something may have been undone, and that may not be undone whole.
	doubted []int
}

// afterFailure undoes what a failed create has made, as far as that is allowed, and returns what
// is left.
func (r *run) afterFailure(ctx context.Context, failure error) Result {
	a := &aftermath{run: r, failure: failure}
	if r.Effected && errors.As(failure, new(*recorded.TakenError)) {
		return a.refuseTaken()
	}
	if !r.Effected {
		id, _ := r.EvalID()
		a.failure = r.res.ExplainExisting(a.failure, id, r.Token, r.Given)
		a.mentionLeftovers()
		return Result{Err: r.Mask().Error(a.failure)}
	}
	halfMade{r}.misfit(failure)
	err := a.undo(ctx)
	if a.undone == nil {
		a.failure = fmt.Errorf("%w; nothing of it was undone, because it is the object that this resource replaces", a.failure)
	}
	failed := operation.StatusOf(a.failure) == actions.Failed
	a.failure = operation.DescribeUndone(a.Run, a.failure, a.undone, a.doubted, err)
	a.failure = errors.Join(a.failure, a.forgetUndone())
	m := r.Mask() // undoing may have seen more secrets
	if !a.takeOwn() {
		a.failure = errors.Join(a.failure, a.listUnproven(), a.listEarlierOrphans(), halfMade{r}.nothing())
		if failed {
			r.book().Reread() // with the one that has just failed
			a.mentionLeftovers()
		}
		return Result{Err: m.Error(a.failure)}
	}
	if r.ID == "" {
		// A host cannot keep a resource without an id.
		if r.Failed == len(r.Operation.Steps) {
			a.failure = errors.Join(a.failure, halfMade{r}.nothing()) // there is nothing to continue
		}
		a.failure = fmt.Errorf("%w; something may have been made, and its id is not known: `declprov journal` lists it", a.failure)
		return Result{Err: m.Error(errors.Join(a.failure, a.reopenIntents()))}
	}
	state := r.newState(outputs.Partial(a.Run, m))
	stuck := operation.IsStuck(ctx, a.Run, a.failure)
	if stuck {
		a.failure = fmt.Errorf("%w; it cannot continue with the responses of its steps, so the next `pulumi up` replaces it", a.failure)
	}
	state.Private.Unmade = operation.UnmadeSteps(r.Run, r.resumed, a.undone)
	state.Private.Failed = operation.Stopped(r.Run, r.Given, r.Failed, a.failure)
	state.Private.Failed.Stuck, state.Private.Failed.Doubted = stuck, a.doubted
	for i, is := range a.undone {
		if !is {
			continue
		}
		if i != r.Failed {
			state.Private.Failed.Undone = append(state.Private.Failed.Undone, i)
		} else {
			state.Private.Failed.KeepElements(nil, nil) // all of them are made again
			a.warn(owner{a.run}.Left(r.Operation.Steps[i], r.Spare))
		}
	}
	slices.Sort(state.Private.Failed.Undone)
	state.Private.Failed.Unproven = slices.DeleteFunc(state.Private.Failed.Unproven, func(i int) bool { return a.undone[i] })
	a.failure = errors.Join(a.failure, a.listOrphans())
	return Result{State: state, Err: m.Error(a.failure)}
}

// mentionLeftovers adds to the error of a refused create what earlier creates may have left,
// because that may be why it was refused. An earlier create that succeeded counts too: if the
// host had recorded it, its intents would be settled.
func (a *aftermath) mentionLeftovers() {
	left := entries.Creates{Entries: a.entries()}.Leftovers(a.Token, a.failure.Error())
	if left != "" {
		a.failure = fmt.Errorf("%w; %s", a.failure, left)
	}
}

// takeOwn reports whether something of the create may be left that is proved to be its own: a step
// succeeded, or a response gave the id. Nothing is left once every step that may have had an
// effect was undone. If the id can be evaluated, takeOwn makes it the current one.
func (a *aftermath) takeOwn() bool {
	left := a.old.ID != "" // a resource that the host has recorded stays recorded
	owned := left
	for _, t := range slices.Concat(a.Earlier, a.Touched) {
		left = left || !a.undone[t.Step.Index]
		owned = owned || t.Done
	}
	last := plan.Last(a.Touched)
	answered := last != nil && last.Answer != nil && last.Step.Index == a.Failed && a.Resource.IDUses(last.Step)
	if !left || !owned && !answered {
		return false
	}
	if id := cmp.Or(a.ID, operation.LateID(a.Run)); id != "" {
		a.TakeID(id)
	}
	return owned || a.ID != ""
}

// reopenIntents opens the intents of steps whose responses did not say what was made or renamed,
// so that the next run, or a person, looks for it. It writes intents for the steps that had none.
func (a *aftermath) reopenIntents() error {
	list, err := a.ownIntents()
	for _, i := range list {
		if i.Status == journal.Failed || a.undone[i.Step] {
			continue
		}
		i.Status = journal.Unknown
		err = errors.Join(err, a.book().Put(i, true))
	}
	for _, t := range a.Touched {
		if a.entry != nil || a.undone[t.Step.Index] || slices.ContainsFunc(a.begun, func(i journal.Intent) bool { return i.Step == t.Step.Index }) {
			continue
		}
		i, begun := a.book().Begin(a.intent(t.Step), false)
		i.Status, i.Sent, i.Error = journal.Unknown, time.Now().UTC(), screen.Show(a.failure.Error(), a.Mask()).String()
		if begun == nil {
			begun = a.book().Put(i, true)
		}
		err = errors.Join(err, begun)
	}
	return err
}

// ownIntents returns the intents that this run wrote, as they are now: those of refused steps were removed.
func (a *aftermath) ownIntents() ([]journal.Intent, error) {
	list, err := a.book().Intents()
	return slices.DeleteFunc(list, func(i journal.Intent) bool {
		return !slices.ContainsFunc(a.begun, func(own journal.Intent) bool { return own.Key == i.Key })
	}), err
}

// forgetUndone removes the intents of steps that were undone. The next create with the same
// inputs is another one, and must not have the same keys. An element whose response was lost keeps its
// intent if the undo only knows the elements that were answered.
func (a *aftermath) forgetUndone() error {
	if len(a.undone) == 0 || len(a.begun) == 0 {
		return nil
	}
	list, err := a.ownIntents()
	for _, i := range list {
		if a.undone[i.Step] && !(i.Element != "" && i.Open() && a.Operation.UndoesByResult(a.Operation.Steps[i.Step])) {
			err = errors.Join(err, a.book().RemoveOne(i))
		}
	}
	return err
}
