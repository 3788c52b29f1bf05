package engine

import (
	"cmp"
	"slices"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
)

// subject says which resource the run is about.
func (r *run) subject() journal.Subject { return r.engine.subject(r.ref) }

func (e *Engine) subject(ref Ref) journal.Subject {
	return journal.Subject{Provider: e.program.Provider.Name, Type: ref.Type, Resource: cmp.Or(ref.Key, ref.Name), Settings: e.settings}
}

// mayHaveEarlier reports whether there may be any; see journal.Has.
func (r *run) mayHaveEarlier() bool {
	book, err := r.engine.book()
	return err == nil && book.Has(r.subject())
}

// earlier are the intents of the resource that earlier runs left.
func (r *run) earlier() ([]journal.Intent, error) {
	if r.left == nil {
		book, err := r.engine.book()
		if err != nil {
			return nil, err
		}
		left, err := book.Of(r.subject())
		if err != nil {
			return nil, err
		}
		r.left = &left
	}
	return *r.left, nil
}

// forgetUndone forgets the intents of steps that were undone: what comes next
// under the same inputs is another create, and no server may take it for this one.
func (r *run) forgetUndone(undone map[int]bool) error {
	return r.eachIntent(func(book *journal.Journal, i journal.Intent) error {
		if !undone[i.Step] {
			return nil
		}
		return r.forget(i)
	})
}

// forgetFailed forgets earlier failures of a step that is done now, if doing it
// twice is as good as doing it once, or is labelled at least once. What another step
// may have left stays on the list, and so does what this one may have made of other
// inputs, or for what was undone (which has no hash): that is another object.
func (r *run) forgetFailed(s *plan.Step) error {
	if s.Certainty != actions.Safe && (s.Certainty != actions.Uncertain || r.res.Finds(s)) {
		return nil
	}
	list, err := r.earlier()
	failed := func(i journal.Intent) bool {
		return i.Status == journal.Failed && i.Step == s.Index && i.Element == r.at && (i.Operation == journal.Create) == (r.verb == plan.Create) &&
			i.Hash != "" &&
			(r.verb != plan.Create || s.Certainty != actions.Safe || i.Hash == r.inputsHash())
	}
	if err != nil || !slices.ContainsFunc(list, failed) {
		return err
	}
	return r.settle(failed)
}

// settle removes intents of the resource from the journal. What earlier has read of it
// holds no longer.
func (r *run) settle(which func(journal.Intent) bool) error {
	book, err := r.engine.book()
	if err != nil {
		return err
	}
	r.left = nil
	return book.Settle(r.subject(), which)
}

func (r *run) forget(i journal.Intent) error {
	return r.settle(func(other journal.Intent) bool { return other.Key == i.Key })
}

func (r *run) eachIntent(do func(*journal.Journal, journal.Intent) error) error {
	if len(r.intents) == 0 {
		return nil
	}
	book, err := r.engine.book()
	for _, i := range r.intents {
		if err == nil {
			err = do(book, i)
		}
	}
	return err
}

// book is the engine's journal.
func (e *Engine) book() (*journal.Journal, error) { return e.openJournal() }

// openingJournal opens the journal of a folder once; "" is the user's own.
func openingJournal(dir string, getenv func(string) string) func() (*journal.Journal, error) {
	return sync.OnceValues(func() (*journal.Journal, error) {
		if dir != "" {
			return journal.In(dir), nil
		}
		dir, err := journal.DefaultDir(getenv)
		return journal.In(dir), err
	})
}

// hand records in the journal that the host is given a state: it has it, under whatever
// name, unless it is killed at this moment.
func (r *run) hand(out Result) {
	if out.State == nil || r.token == "" || !r.res.Journals() {
		return
	}
	if book, err := r.engine.book(); err == nil && book.Has(r.subject()) {
		r.mention(book.Hand(r.subject(), r.token, currentID(*out.State)))
	}
}

// mayTake reports whether a run may go on with the intent of an earlier one. What failed
// was answered, and what was handed may be what another state has by now: a stack or a
// resource was renamed.
func (r *run) mayTake(i journal.Intent) bool {
	return i.Status != journal.Failed && (i.Status != journal.Handed || i.Token == r.token)
}

// settleRecorded forgets the intents of a create or update that the host shows to
// have recorded. What is still to be done keeps its intent.
func (e *Engine) settleRecorded(res *plan.Resource, ref Ref, s State) {
	if s.ID == "" || s.Private.Token == "" || !res.Journals() {
		return
	}
	book, err := e.book()
	if err != nil || !book.Has(e.subject(ref)) {
		return // nothing could have been written, or was
	}
	failed := s.Private.Failed
	// An intent that stays is listed, and does no harm.
	_ = book.Settle(e.subject(ref), func(i journal.Intent) bool {
		switch {
		case i.UnderWay():
			return false
		case i.Token != s.Private.Token:
			return i.Status == journal.Handed && i.ID == currentID(s) // it was imported
		case s.keepsUnmade(res, i):
			return false
		case i.Operation == journal.Update:
			// One that was answered, and is unfinished since, may have moved it elsewhere.
			return i.Status == journal.Answered && i.ID == currentID(s) && (failed == nil || failed.Op != string(plan.Update))
		case failed == nil || failed.Op != string(plan.Create):
			return true
		default:
			return (i.Step < failed.Step || slices.Contains(failed.Kept, i.Step)) && !slices.Contains(failed.Undone, i.Step)
		}
	})
}

// settleDeleted forgets the intents of a resource that was deleted: what they may
// have made was made of it, and another one may come under its name. missed says that
// not all of it was found: an update that failed, or that was not finished, may have moved
// it elsewhere, and a create that made it anew may have made what the state does not name.
func (e *Engine) settleDeleted(res *plan.Resource, ref Ref, s State, missed bool) error {
	if s.Private.Token == "" || !res.Journals() {
		return nil
	}
	book, err := e.book()
	if err != nil || !book.Has(e.subject(ref)) {
		return nil // nothing could have been written, or was
	}
	return book.Settle(e.subject(ref), func(i journal.Intent) bool {
		if i.Open() && s.keepsUnmade(res, i) {
			return false // a delete that asks has left it alone
		}
		moved := missed && i.Operation == journal.Update
		anew := missed && i.Operation == journal.Create && i.Open() && res.Maker != nil && i.Step == res.Maker.Index
		return i.Token == s.Private.Token && !i.UnderWay() && !moved && !anew
	})
}
