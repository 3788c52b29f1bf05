package engine

import (
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/entries"
)

// Unsettled returns the unsettled intents of the provider's resources that of accepts,
// the oldest first: what they may have made is in no state, and nobody works on them. A
// journal that cannot be read has none here; the first create says what is wrong.
func (e *Engine) Unsettled(of func(journal.Subject) bool) []journal.Intent {
	book, err := e.resources.Journal()
	if err != nil {
		return nil
	}
	all, _ := book.List()
	var open []journal.Intent
	for _, i := range all {
		if i.IsUnsettled() && i.Provider == e.program.Provider.Name && of(i.Subject) {
			open = append(open, i)
		}
	}
	return journal.Distinct(open)
}

// Settles reports whether the next create or update of a resource that the program
// still has can settle an open intent of it: by sending it again, or by looking.
func (e *Engine) Settles(i journal.Intent) bool {
	name, _ := e.program.CurrentName(i.Type)
	res, err := e.program.Resource(name)
	if err != nil {
		return false
	}
	switch i.Operation {
	case journal.Update:
		return res.Update != nil
	case journal.Delete:
		return res.Delete != nil
	}
	if entries.IsHalfMade(i) {
		return entries.Settles(res, i)
	}
	if i.Step < 0 || i.Step >= len(res.Create.Steps) {
		return false
	}
	s := res.Create.Steps[i.Step]
	return s.Certainty.Repeatable() || i.Looked && res.Finds(s)
}

// LosesIntents reports whether intents of creates of a type are written to a
// journal that is likely to be lost with this machine.
func (e *Engine) LosesIntents(typ string) bool {
	res, err := e.program.Resource(typ)
	return err == nil && res.Journals() && journal.IsFleeting(e.getenv)
}
