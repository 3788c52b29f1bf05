package journal

import (
	"errors"
	"slices"
)

// Resource is the part of a journal that is about one resource. It belongs to one goroutine.
type Resource struct {
	subject Subject
	// former are the subjects that the resource had before its type was renamed. Their intents
	// are intents of the resource; new ones are of subject.
	former []Subject
	// state is the subject of the intents of updates, without a State if there is no recorded state.
	state Subject
	open  func() (*Journal, error)
	// read are the intents as Intents has read them, nil before.
	read *[]Intent
}

// newResource returns the part of a journal that is about a resource, which may have had former
// subjects. The journal is opened when it is first needed; its error is then that of each method.
func newResource(open func() (*Journal, error), s Subject, former ...Subject) *Resource {
	return &Resource{subject: s, former: former, open: open}
}

// Subject returns the resource that the intents are about.
func (r *Resource) Subject() Subject { return r.subject }

// OfState returns the part of the journal that is about the resource and its recorded state with a
// token. Intents of updates are about the state: they are found whatever name the resource has now.
func (r *Resource) OfState(token string) *Resource {
	out := &Resource{subject: r.subject, former: r.former, open: r.open, state: r.subject}
	out.state.State = token
	return out
}

// Busy returns a *BusyError if another living process works on one of the intents.
func (r *Resource) Busy(list []Intent) error {
	j, err := r.open()
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.UnderWay() && !j.owner.is(i.Owner) {
			return &BusyError{Intent: i}
		}
	}
	return nil
}

// MayHaveIntents reports whether there may be intents: see Journal.Has. There are none in a
// journal that cannot be opened, as nothing could be written to it.
func (r *Resource) MayHaveIntents() bool {
	j, err := r.open()
	return err == nil && (j.Has(r.subject) || r.state.State != "" && j.Has(r.state) || slices.ContainsFunc(r.former, j.Has))
}

// subjects returns the subject of the resource, and the former ones that may have intents. A create looks
// at its subject in any case: another process may have begun one since.
func (r *Resource) subjects(j *Journal) []Subject {
	var all []Subject
	if r.state.State == "" || j.Has(r.subject) {
		all = append(all, r.subject)
	}
	if r.state.State != "" && j.Has(r.state) {
		all = append(all, r.state)
	}
	for _, s := range r.former {
		if j.Has(s) {
			all = append(all, s)
		}
	}
	return all
}

// Earlier returns the intents as they were when they were first asked for, or when something
// was removed since: what earlier runs have left.
func (r *Resource) Earlier() ([]Intent, error) {
	if r.read == nil {
		list, err := r.Intents()
		if err != nil {
			return nil, err
		}
		r.read = &list
	}
	return *r.read, nil
}

// Reread makes the next call of Earlier read the journal again.
func (r *Resource) Reread() { r.read = nil }

// Intents returns the intents as they are now, in the order of their beginning.
func (r *Resource) Intents() ([]Intent, error) {
	j, err := r.open()
	if err != nil {
		return nil, err
	}
	var all []Intent
	for _, s := range r.subjects(j) {
		list, err := j.Of(s)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	sortByBegan(all)
	return all, nil
}

// Others returns the intents of the resource under other settings: see Journal.Others.
func (r *Resource) Others() ([]Intent, error) {
	j, err := r.open()
	if err != nil {
		return nil, nil //nolint:nilerr // nothing could be written to it
	}
	var all []Intent
	for _, s := range append([]Subject{r.subject}, r.former...) {
		list, err := j.Others(s)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// Begin records an intent of the resource: see Journal.Begin.
func (r *Resource) Begin(i Intent, sync bool) (Intent, error) {
	j, err := r.open()
	if err != nil {
		return i, err
	}
	i.Subject = r.subject
	if i.Operation != Create && r.state.State != "" {
		i.Subject = r.state
	}
	return j.Begin(i, sync)
}

// Claim takes over an intent of an earlier run: see Journal.Claim.
func (r *Resource) Claim(i Intent) (Intent, error) {
	j, err := r.open()
	if err != nil {
		return i, err
	}
	return j.Claim(i)
}

// Put records an intent as it is now: see Journal.Put.
func (r *Resource) Put(i Intent, sync bool) error {
	j, err := r.open()
	if err != nil {
		return err
	}
	return j.Put(i, sync)
}

// Hand records that the host was given a state: see Journal.Hand.
func (r *Resource) Hand(token, id string) error {
	j, err := r.open()
	if err != nil {
		return err
	}
	for _, s := range r.subjects(j) {
		err = errors.Join(err, j.Hand(s, token, id))
	}
	return err
}

// Remove removes the intents for which gone returns true, and makes Earlier read the journal
// again.
func (r *Resource) Remove(gone func(Intent) bool) error {
	j, err := r.open()
	if err != nil {
		return err
	}
	r.read = nil
	for _, s := range r.subjects(j) {
		err = errors.Join(err, j.Settle(s, gone))
	}
	return err
}

// Revise replaces the intents of the recorded state by what revise makes of them, and makes Earlier read the
// journal again.
func (r *Resource) Revise(revise func([]Intent) []Intent) error {
	j, err := r.open()
	if err != nil {
		return err
	}
	r.read = nil
	if !j.Has(r.state) {
		return nil
	}
	return j.Revise(r.state, revise)
}

// Conclude records that the run of the resource has ended: what has an unknown outcome now is left open.
func (r *Resource) Conclude() error {
	j, err := r.open()
	if err != nil {
		return nil //nolint:nilerr // nothing could be written to it
	}
	for _, s := range slices.Concat([]Subject{r.subject, r.state}, r.former) {
		if _, any := j.ongoing.LoadAndDelete(s); !any {
			continue
		}
		err = errors.Join(err, j.Revise(s, func(list []Intent) []Intent {
			for n := range list {
				list[n].Ongoing = list[n].Ongoing && !j.owner.is(list[n].Owner)
			}
			return list
		}))
	}
	return err
}

// RemoveOne removes one intent.
func (r *Resource) RemoveOne(i Intent) error {
	return r.Remove(func(other Intent) bool { return other.Key == i.Key })
}
