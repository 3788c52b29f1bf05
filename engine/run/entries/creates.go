package entries

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// A create of several steps whose process is killed between two of them leaves no state that has what the
// first steps have made. So an entry has that state, from before the second step until the host has recorded
// a state that has it, too. The next create continues there.

// IsHalfMade reports whether an entry has the state of a create of several steps.
func IsHalfMade(i journal.Intent) bool {
	return i.Operation == journal.Create && i.Step == journal.Whole
}

// SetHalfMade makes an entry that of a create whose state is s, which contains no secrets.
func SetHalfMade(i *journal.Intent, of *plan.Resource, s recorded.State) (err error) {
	i.Operation, i.Step, i.ID, i.Place = journal.Create, journal.Whole, s.ID, placeOf(of)
	i.Made, err = json.Marshal(s.Private)
	return err
}

// placeOf returns the address of the step that makes the object, as the spec has it.
func placeOf(of *plan.Resource) string {
	if of.Maker == nil {
		return ""
	}
	return of.Maker.Place
}

// HalfMade returns the state of an entry, without inputs.
func HalfMade(i journal.Intent) (s recorded.State, err error) {
	decoder := json.NewDecoder(bytes.NewReader(i.Made))
	decoder.UseNumber() // as where the host keeps it
	err = decoder.Decode(&s.Private)
	s.ID, s.Private.Token = i.ID, i.Token
	if s.Private.Failed == nil {
		s.Private.Failed = &recorded.Failed{Op: string(plan.Create), Stuck: true}
	}
	s.Private.Failed.Secret, s.Private.Failed.Entry = true, i.Key // what it becomes may have some
	return s, err
}

// Settles reports whether the next create continues what an entry has, or records it.
func Settles(of *plan.Resource, i journal.Intent) bool {
	s, err := HalfMade(i)
	return err == nil && (s.ID != "" || recorded.CanContinue(of, s))
}

// LastHalfMade returns the newest entry of a list of a create that was killed between its steps, or that is under way,
// nil if there is none.
func (e Entries) LastHalfMade(list []journal.Intent) *journal.Intent {
	for _, i := range slices.Backward(list) {
		if IsHalfMade(i) && (i.Open() || i.UnderWay()) && Elsewhere(e.Resource, i) == "" {
			return &i
		}
	}
	return nil
}

// Advanced returns a half-made state with what was done since the host recorded it, by a run that was killed.
func (e Entries) Advanced(s recorded.State) (recorded.State, error) {
	was := s.Private.Failed
	if was == nil || was.Op != string(plan.Create) || s.Private.Token == "" || !e.Book.MayHaveIntents() {
		return s, nil
	}
	list, err := e.Book.Intents()
	for _, i := range slices.Backward(list) {
		if !IsHalfMade(i) || i.Token != s.Private.Token || i.Key == was.Entry || i.UnderWay() || i.Status == journal.Failed {
			continue
		}
		now, bad := HalfMade(i)
		if bad != nil {
			return s, bad
		}
		is := now.Private.Failed
		is.Inputs, is.Original, is.Error = was.Inputs, was.Original, was.Error
		is.AddGiven(was.Given...)
		s.Private.Failed, s.Private.Unmade = is, now.Private.Unmade
		if i.ID != "" {
			s.SetCurrentID(i.ID)
		}
		return s, err
	}
	return s, err
}
