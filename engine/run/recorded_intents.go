package run

import (
	"slices"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// SettleRecorded removes the intents of a create or update whose state the host has recorded.
// Steps that are still to be done keep their intents.
func (rs *Resources) SettleRecorded(of *plan.Resource, ref recorded.Ref, s recorded.State) {
	res := rs.resource(of, ref, nil)
	if s.ID == "" || s.Private.Token == "" || !res.Journals() {
		return
	}
	book := res.book()
	if !book.MayHaveIntents() {
		return
	}
	failed := s.Private.Failed
	// If the journal cannot be changed, the intents stay listed, which does no harm.
	_ = book.Remove(func(i journal.Intent) bool {
		switch {
		case i.UnderWay():
			return false
		case i.Token != s.Private.Token:
			return i.Status == journal.Handed && i.ID == recorded.CurrentID(s) // the object was imported
		case res.isUnmade(s, i):
			return false
		case isWhole(i, s.Private.Token):
			return failed != nil && failed.Op == string(plan.Update) // which says the same
		case i.Operation == journal.Update:
			// An answered step of an unfinished update may have renamed the object.
			return i.Status == journal.Answered && i.ID == recorded.CurrentID(s) && (failed == nil || failed.Op != string(plan.Update))
		case failed == nil || failed.Op != string(plan.Create):
			return true
		default:
			return (i.Step < failed.Step || slices.Contains(failed.Kept, i.Step)) && !slices.Contains(failed.Undone, i.Step)
		}
	})
}

// settleDeleted removes the intents of a resource that was deleted: what they may have made is
// gone with it, and another resource may take its name. missed is true if the delete did not
// find all of it. Then the intents of updates stay, because one that failed or did not finish
// may have renamed the object, and so do open ones of the step that makes the object, because
// that may have made an object that the state does not name.
func (res resource) settleDeleted(s recorded.State, missed bool) error {
	if s.Private.Token == "" || !res.Journals() {
		return nil
	}
	book := res.book()
	if !book.MayHaveIntents() {
		return nil
	}
	return book.Remove(func(i journal.Intent) bool {
		if i.Open() && res.isUnmade(s, i) {
			return false // a delete that reads made has left it alone
		}
		moved := missed && i.Operation == journal.Update
		anew := missed && i.Operation == journal.Create && i.Open() && res.Maker != nil && i.Step == res.Maker.Index
		return i.Token == s.Private.Token && !i.UnderWay() && !moved && !anew
	})
}
