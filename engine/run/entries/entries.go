// Package entries tells what the entries of the journal say about the recorded state of a resource,
// and removes those that the state makes unnecessary.
package entries

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// Entries are the entries of the journal about one resource.
type Entries struct {
	*plan.Resource
	Book *journal.Resource
}

// Settle removes the entries of a create or update whose state the host has recorded. Steps that are
// still to be done keep their entries. If the journal cannot be changed, the entries stay listed,
// which does no harm.
func (e Entries) Settle(s recorded.State) {
	if s.ID == "" || s.Private.Token == "" || !e.Journals() || !e.Book.MayHaveIntents() {
		return
	}
	_ = e.Book.Remove(func(i journal.Intent) bool { return !i.UnderWay() && e.isRecorded(i, s) })
}

// isRecorded reports whether a recorded state says what an entry says.
func (e Entries) isRecorded(i journal.Intent, s recorded.State) bool {
	failed := s.Private.Failed
	switch {
	case i.Operation == journal.Delete:
		return false // what a delete has done is in no state
	case i.IsWhole() && i.Token == s.Private.Token:
		return i.Key == s.Private.Updated || failed != nil && failed.Op == string(plan.Update) // which says the same
	case i.Token != s.Private.Token:
		return i.Status == journal.Handed && i.ID == recorded.CurrentID(s) // the object was imported
	case e.isUnmade(s, i):
		return false
	case i.Operation == journal.Update:
		// An answered step of an unfinished update may have renamed the object.
		return i.Status == journal.Answered && i.ID == recorded.CurrentID(s) && (failed == nil || failed.Op != string(plan.Update))
	case failed == nil || failed.Op != string(plan.Create):
		return true
	case IsHalfMade(i):
		return i.Key == failed.Entry // or it knows more
	default:
		return (i.Step < failed.Step || slices.Contains(failed.Kept, i.Step)) && !slices.Contains(failed.Undone, i.Step)
	}
}

// SettleDeleted removes the entries of a resource that was deleted: what they may have made is
// gone with it, and another resource may take its name. missed is true if the delete did not
// find all of it. Then the entries of updates stay, because one that failed or did not finish
// may have renamed the object, and so do open ones of the step that makes the object, because
// that may have made an object that the state does not name.
func (e Entries) SettleDeleted(s recorded.State, missed bool) error {
	if s.Private.Token == "" || !e.Journals() && e.Delete.FirstUnsettled() == nil || !e.Book.MayHaveIntents() {
		return nil
	}
	return e.Book.Remove(func(i journal.Intent) bool {
		if i.Open() && e.isUnmade(s, i) {
			return false // a delete that reads made has left it alone
		}
		moved := missed && i.Operation == journal.Update && i.Status != journal.Handed
		anew := missed && i.Operation == journal.Create && i.IsUnsettled() && e.Maker != nil && i.Step == e.Maker.Index
		return i.Token == s.Private.Token && !i.UnderWay() && !moved && !anew
	})
}

// isUnmade reports whether an entry is of a step that the recorded state names as unmade.
func (e Entries) isUnmade(s recorded.State, i journal.Intent) bool {
	of := e.stepOf(i)
	return of != nil && slices.Contains(strings.Fields(s.Private.Unmade), of.Model.As)
}

// ForgetAnswered removes the entries of answered requests of an operation, from a step on: a restart asks for
// another effect, which must not have their keys.
func (e Entries) ForgetAnswered(from journal.Intent) error {
	if !e.Book.MayHaveIntents() {
		return nil
	}
	return e.Book.Remove(func(i journal.Intent) bool {
		return i.Token == from.Token && i.Operation == from.Operation && i.Step >= from.Step && i.WasAnswered()
	})
}

// ForgetFailed removes the entries of earlier failures of a step that was done. every is false if those with other inputs are
// about another object.
func (e Entries) ForgetFailed(done journal.Intent, every bool) error {
	list, err := e.Book.Earlier()
	failed := func(i journal.Intent) bool {
		return i.Status == journal.Failed && i.Step == done.Step && i.Element == done.Element && (i.Operation == journal.Create) == (done.Operation == journal.Create) &&
			i.Hash != "" && (every || i.Hash == done.Hash)
	}
	if err != nil || !slices.ContainsFunc(list, failed) {
		return err
	}
	return e.Book.Remove(failed)
}

// stepOf returns the step of an entry, nil if the spec no longer has it.
func (e Entries) stepOf(i journal.Intent) *plan.Step {
	op := e.Create
	if i.Operation == journal.Update {
		op = e.Update
	}
	if op == nil || i.Step < 0 || i.Step >= len(op.Steps) {
		return nil
	}
	return op.Steps[i.Step]
}

// UnmadeAfter returns the names of the create's steps after that of an entry that have no entry
// themselves: they have made nothing.
func (e Entries) UnmadeAfter(i journal.Intent) string {
	if s, err := HalfMade(i); IsHalfMade(i) && err == nil {
		return s.Private.Unmade
	}
	if i.Operation != journal.Create {
		return ""
	}
	list, _ := e.Book.Earlier() // if it cannot be read, no later step counts as begun
	var out []string
	for _, s := range e.Create.Steps[min(i.Step+1, len(e.Create.Steps)):] {
		begun := slices.ContainsFunc(list, func(o journal.Intent) bool {
			return o.Operation == journal.Create && o.Token == i.Token && o.Step == s.Index
		})
		if s.IsInMade() && !begun {
			out = append(out, s.Model.As)
		}
	}
	return strings.Join(out, " ")
}

// UnmadeBy returns the names of the steps that have made nothing according to the state and the
// journal. The journal has more than the state if a run was killed before it returned its state.
func (e Entries) UnmadeBy(s recorded.State) string {
	if s.Private.Unmade == "" || e.Create == nil || !e.Book.MayHaveIntents() {
		return s.Private.Unmade
	}
	list, _ := e.Book.Intents() // the first create that needs the journal reports that it cannot be read
	return strings.Join(slices.DeleteFunc(strings.Fields(s.Private.Unmade), func(name string) bool {
		return slices.ContainsFunc(list, func(i journal.Intent) bool {
			made := e.stepOf(i)
			return i.Token == s.Private.Token && made != nil && made.Model.As == name && (i.WasAnswered() || made.OwnsWhatItSends())
		})
	}), " ")
}

// Elsewhere returns the address to which the spec now sends what an entry of a create sent to another
// one, "" if that is the same. Both are as the spec has them: other settings have other entries.
func Elsewhere(of *plan.Resource, i journal.Intent) string {
	if IsHalfMade(i) && i.Place != placeOf(of) {
		return cmp.Or(placeOf(of), "somewhere else")
	}
	if i.Operation != journal.Create || i.Place == "" || i.Step < 0 || i.Step >= len(of.Create.Steps) {
		return ""
	}
	if now := of.Create.Steps[i.Step].Place; now != i.Place {
		return cmp.Or(now, "somewhere else")
	}
	return ""
}

// LacksProof reports whether the spec no longer has what could tell whether a create was done: a find that
// had looked before, or the key under which it was sent.
func LacksProof(of *plan.Resource, i journal.Intent) bool {
	switch {
	case !i.Looked && i.Keyed == "":
		return false // it had none, or an earlier version of declprov sent it
	case of.Maker.Certainty == actions.Keyed:
		return i.Keyed != of.Maker.KeyedBy
	default:
		return !of.Finds(of.Maker)
	}
}

// OfOtherSettings returns an entry of a create that may have been done under other settings, and their
// names. It is not known whether they lead to the same service, unless the address of the request has one
// of them: then they do not, and the entry is not about this create.
func (e Entries) OfOtherSettings(now json.RawMessage) (open *journal.Intent, differ []string, err error) {
	list, err := e.Book.Others()
	for _, i := range list {
		if !i.IsUnsettled() || !IsHalfMade(i) && (i.Operation != journal.Create || i.Step != e.Maker.Index || !e.CanTell()) {
			continue
		}
		differ, err := recorded.OtherSettings(i.Configuration, now)
		if !slices.ContainsFunc(differ, func(name string) bool { return refersTo(i.Place, name) }) {
			return &i, differ, err
		}
	}
	return nil, nil, err
}

// refersTo reports whether the address of a request, as the spec has it, refers to a setting.
func refersTo(address, setting string) bool {
	for _, after := range strings.Split(address, "config."+setting)[1:] {
		if r, _ := utf8.DecodeRuneInString(after); r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// OpenOnPanic is deferred: it opens an intent after a panic, because the process goes on, and the work does not.
func OpenOnPanic(book *journal.Resource, i *journal.Intent) {
	if bug := recover(); bug != nil {
		i.Status = journal.Unknown
		_ = book.Put(*i, true)
		panic(bug)
	}
}
