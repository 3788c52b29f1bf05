package entries

import (
	"errors"
	"slices"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/recorded"
)

// An update whose process is killed leaves no state that says so, and the next program may ask for
// what the host has recorded: then nothing would differ, although the object is another one. The same
// happens if the host is killed while the provider ends the update. So an entry stands for the whole
// update, from before its first effect until a recorded state has its key. It is found by the token
// of the state, and so also after the stack or the resource was renamed.

// BeginUpdate records that an update of a state is under way. i is the intent of its first step.
func (e Entries) BeginUpdate(i journal.Intent) (journal.Intent, error) {
	i.Step, i.StepName, i.Element, i.Looked, i.Proves = journal.Whole, "", "", false, false
	return e.Book.Begin(i, false)
}

// EndUpdates records that the host gets a state that says what is known about the updates of the
// resource. The state gets the key of the entry that stays until the host has recorded it.
func (e Entries) EndUpdates(s *recorded.State) error {
	if s.Private.Token == "" || !e.Journals() {
		return nil
	}
	return e.Book.Revise(func(list []journal.Intent) []journal.Intent {
		own := func(i journal.Intent) bool { return i.IsWhole() && i.Token == s.Private.Token }
		var last *journal.Intent
		for n := range list {
			if own(list[n]) {
				last = &list[n]
			}
		}
		if last == nil {
			return list
		}
		last.Status, s.Private.Updated = journal.Handed, last.Key
		return slices.DeleteFunc(list, func(i journal.Intent) bool { return own(i) && i.Key != s.Private.Updated })
	})
}

// EndSteps removes the entries of the steps of an update that is done. One that gave another id stays until
// the host shows that it has recorded it.
func (e Entries) EndSteps(s *recorded.State) error {
	if !e.Journals() || !e.Book.MayHaveIntents() {
		return nil
	}
	list, err := e.Book.Intents()
	for _, i := range list {
		if i.Operation != journal.Update || i.Token != s.Private.Token || i.IsWhole() {
			continue
		}
		if s.Private.ID == "" {
			err = errors.Join(err, e.Book.RemoveOne(i))
			continue
		}
		err = errors.Join(err, e.Locate(s.Private.ID, i))
	}
	return err
}

// Locate records that steps of an update were done, and that the object has an id now.
func (e Entries) Locate(id string, list ...journal.Intent) (err error) {
	for _, i := range list {
		i.Status, i.ID, i.Moved, i.Named, i.Ongoing = journal.Answered, id, true, "", false
		err = errors.Join(err, e.Book.Put(i, false))
	}
	return err
}

// RefuseBusy returns a *journal.BusyError if another living process updates or deletes the resource.
func (e Entries) RefuseBusy(s recorded.State) error {
	list, err := e.updates(s)
	last, failed := Deletes{e}.Last(s)
	if last != nil {
		list = append(list, *last)
	}
	if err = errors.Join(err, failed); err != nil || len(list) == 0 {
		return err
	}
	return e.Book.Busy(list)
}

// Interrupted returns a state as it is after an update of which the host has recorded nothing: it is
// not known which of the inputs that it was to change the object has. It returns other states
// unchanged.
func (e Entries) Interrupted(s recorded.State) (recorded.State, error) {
	if s.ID == "" || s.Private.Failed != nil || e.Update == nil {
		return s, nil
	}
	list, err := e.updates(s)
	list = slices.DeleteFunc(list, func(i journal.Intent) bool {
		return !i.Open() && !(i.IsWhole() && i.Key != s.Private.Updated)
	})
	if err != nil || len(list) == 0 {
		return s, err
	}
	s.Private.Failed = recorded.Interrupt(e.Update)
	for _, i := range list {
		s.Private.Failed.AddGiven(i.Given...)
	}
	return s, nil
}

// CloseGone closes the open updates of a state whose object a refresh has not found, unless one of them may
// have given it another id that nothing has looked for. Their entries stay, closed, because the host
// may not record what the refresh has found: then the state is still that of an interrupted update.
func (e Entries) CloseGone(s recorded.State) error {
	list, err := e.updates(s)
	list = slices.DeleteFunc(list, func(i journal.Intent) bool { return !i.Open() })
	steps := slices.DeleteFunc(slices.Clone(list), journal.Intent.IsWhole)
	if len(steps) == 0 {
		steps = list
	}
	if slices.ContainsFunc(steps, e.mayHaveMoved) {
		return err
	}
	for _, i := range list {
		i.Status = journal.Handed
		err = errors.Join(err, e.Book.Put(i, false))
	}
	return errors.Join(err, Deletes{e}.closeGone(s))
}

// CloseFound records that a refresh has seen the outcome of lost updates: once the host
// shows that it has recorded the id, they are settled. An update that the state calls unfinished
// is resumed first.
func (e Entries) CloseFound(s recorded.State) error {
	if e.Find == nil || s.Private.Failed != nil {
		return nil
	}
	list, err := e.updates(s)
	for _, i := range list {
		if i.Open() && !i.IsWhole() {
			err = errors.Join(err, e.Locate(recorded.CurrentID(s), i))
		}
	}
	return err
}

// BeginNamed records that a step of an update was done, and that its response names another id. i is the intent of the step,
// begun are those that its run wrote: the one of the step is continued.
func (e Entries) BeginNamed(i journal.Intent, begun []journal.Intent) (journal.Intent, error) {
	for _, own := range begun {
		if own.Operation == journal.Update && own.Step == i.Step {
			own.Named, own.Inputs, own.Withheld = i.Named, i.Inputs, i.Withheld
			i = own
		}
	}
	if i.Key == "" {
		var err error
		if i, err = e.Book.Begin(i, false); err != nil {
			return i, err
		}
	}
	i.Status, i.Ongoing = journal.Unknown, true
	return i, e.Book.Put(i, false)
}

// Named returns the other ids that responses to updates of a state name, which did not finish.
func (e Entries) Named(s recorded.State) (named []recorded.Named, err error) {
	if f := s.Private.Failed; f != nil && f.Named != nil {
		named = append(named, *f.Named)
	}
	list, err := e.updates(s)
	for _, i := range list {
		again := slices.ContainsFunc(named, func(n recorded.Named) bool { return n.ID == i.Named })
		if i.Named != "" && i.Open() && !again {
			named = append(named, recorded.Named{ID: i.Named, Inputs: i.Inputs, Withheld: i.Withheld, Sent: i.LastSent()})
		}
	}
	return named, err
}

// SettleNamed records which id the object of a state has, of which responses have named another one.
func (e Entries) SettleNamed(s recorded.State, named string) error {
	list, err := e.updates(s)
	for _, i := range list {
		if i.Open() && i.Named == named {
			err = errors.Join(err, e.Locate(recorded.CurrentID(s), i))
		}
	}
	return err
}

// mayHaveMoved reports whether an update, or a step of one, may have given the object of a state another id
// under which no find has looked for it. With a find, every operation on a state looks there first.
func (e Entries) mayHaveMoved(i journal.Intent) bool {
	return i.Named != "" || !i.Stays && !(e.Find != nil && i.Looked && len(i.Withheld) == 0 && len(i.Inputs) > 0)
}

// updates returns the entries of updates of a state.
func (e Entries) updates(s recorded.State) ([]journal.Intent, error) {
	if s.Private.Token == "" || !e.Journals() || !e.Book.MayHaveIntents() {
		return nil, nil
	}
	list, err := e.Book.Intents()
	return slices.DeleteFunc(list, func(i journal.Intent) bool {
		return i.Operation != journal.Update || i.Token != s.Private.Token
	}), err
}
