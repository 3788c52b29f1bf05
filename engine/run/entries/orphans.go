package entries

import "github.com/declprov/declprov/engine/journal"

// Orphans lists what a create may have left as failed. With a new token and no hash, neither a recorded state nor a later
// run settles such an entry.
type Orphans struct {
	Book *journal.Resource
	// Token returns a new token, and Show a text without secrets.
	Token func() string
	Show  func(why string) string
}

// List marks the entries of a step of a create as failed: those of a list that are of the same step and create as about, and
// for which own returns true. If there are none, it writes about, for an element of the step's loop.
func (o Orphans) List(about journal.Intent, element string, list []journal.Intent, own func(journal.Intent) bool, why string) error {
	found := false
	for _, i := range list {
		if i.Step == about.Step && i.Token == about.Token && own(i) {
			found = true
			if err := o.Put(i, why); err != nil {
				return err
			}
		}
	}
	if found {
		return nil
	}
	about.Element = element
	i, err := o.Book.Begin(about, false)
	if err != nil {
		return err
	}
	return o.Put(i, why)
}

// OfElement returns a function that recognizes the entry of an element that the program no longer has, by the entry's key.
// A state of an older version has no such key. Then it is one of another run for that element, since those of the run
// with these inputs are about other elements.
func OfElement(entry, element, inputs string) func(journal.Intent) bool {
	return func(i journal.Intent) bool {
		return i.Key == entry || entry == "" && i.Element == element && i.Hash != inputs
	}
}

// Put marks an entry as failed.
func (o Orphans) Put(i journal.Intent, why string) error {
	i.Token, i.Hash, i.Status, i.Error = o.Token(), "", journal.Failed, o.Show(why)
	return o.Book.Put(i, false)
}
