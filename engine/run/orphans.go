package run

import (
	"errors"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/screen"
)

// listOrphans keeps the orphans of a create in the journal: the effects of steps that belong to an
// object that was undone, if these steps were not undone themselves. The next run does the steps
// again for its new object, so nothing else records what the first ones left.
func (a *aftermath) listOrphans() error {
	steps := operation.OrphanedSteps(a.Run, a.failure, a.undone)
	if steps == nil {
		return nil
	}
	list, err := a.book().Intents()
	if err != nil {
		return err
	}
	why := "what it belongs to was undone, and this was not: " + a.failure.Error()
	for _, s := range steps {
		for _, element := range a.ElementsDone(s, a.HiddenKey) {
			own := func(i journal.Intent) bool { return element == "" || i.Element == element }
			if err := a.orphans().List(a.intent(s), element, list, own, why); err != nil {
				return err
			}
		}
	}
	return nil
}

// listUnproven lists the steps of which it is not known whether what is there is what they have made, and that no state has.
func (a *aftermath) listUnproven() error {
	list, err := a.book().Intents()
	for n := range list {
		list[n].Unproven = true
	}
	for _, t := range operation.Made(a.Run, a.failure) {
		if about := a.intent(t.Step); t.Unproven {
			about.Unproven = true
			err = errors.Join(err, a.orphans().List(about, "", list, func(journal.Intent) bool { return true }, a.failure.Error()))
		}
	}
	return err
}

// Left lists what a create has made for elements of a loop that the program no longer has. It made nothing for those without a result.
func (o owner) Left(s *plan.Step, gone []recorded.Element) error {
	if o.Verb != plan.Create || s.Effect != actions.Write || len(gone) == 0 {
		return nil
	}
	left := (&aftermath{run: o.run}).orphans()
	list, err := o.book().Intents()
	for _, e := range gone {
		key := e.Key
		if s.ForEachKind == spec.Map {
			key = o.HiddenKey(key) // it may be secret
		}
		its := entries.OfElement(e.Entry, key, o.inputsHash())
		err = errors.Join(err, left.List(o.intent(s), key, list, its, "it was made for an element that the program no longer has"))
	}
	o.Log.Message(operation.Warning, s.Name+" was run for elements that the program no longer has, before the create failed: look in the service for what that made, and remove it; `declprov journal` lists it")
	return err
}

// orphans lists what this create may have left.
func (a *aftermath) orphans() entries.Orphans {
	return entries.Orphans{Book: a.book(), Token: a.res.all.Tokens.Next, Show: func(why string) string { return screen.Show(why, a.Mask()).String() }}
}

// listEarlierOrphans keeps in the journal what earlier runs may have done for an object that was
// undone now: the next create makes another object.
func (a *aftermath) listEarlierOrphans() error {
	relying := a.Operation.RelyOn(a.undone)
	if len(relying) == 0 || !a.book().MayHaveIntents() {
		return nil
	}
	list, err := a.book().Intents()
	for _, i := range list {
		if i.Operation != journal.Create || !relying[i.Step] || a.undone[i.Step] || i.Hash != a.inputsHash() || !i.IsUnsettled() {
			continue
		}
		err = errors.Join(err, a.orphans().Put(i, "what it belongs to was undone, and it is not known whether this was done"))
	}
	return err
}
