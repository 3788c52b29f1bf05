package run

import (
	"errors"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/screen"
)

// listOrphans keeps the orphans of a create in the journal: the effects of steps that belong to an
// object that was undone, if these steps were not undone themselves. The next run does the steps
// again for its new object, so nothing else records what the first ones left.
func (a *aftermath) listOrphans() error {
	steps := a.orphanedSteps()
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
			if err := a.listOrphan(s, element, list, own, why); err != nil {
				return err
			}
		}
	}
	return nil
}

// Left lists what a create has made for elements of a loop that the program no longer has.
func (o owner) Left(s *plan.Step, gone []recorded.Element) error {
	if o.Verb != plan.Create || s.Effect != actions.Write || gone == nil {
		return nil
	}
	list, err := o.book().Intents()
	for _, e := range gone {
		key := e.Key
		if s.ForEachKind == spec.Map {
			key = o.HiddenKey(key) // it may be secret
		}
		before := func(i journal.Intent) bool { return i.Element == key && i.Hash != o.inputsHash() }
		listed := (&aftermath{run: o.run}).listOrphan(s, key, list, before, "it was made for an element that the program no longer has")
		err = errors.Join(err, listed)
	}
	o.Log.Message(operation.Warning, s.Name+" was run for elements that the program no longer has, before the create failed: look in the service for what that made, and remove it; `declprov journal` lists it")
	return err
}

// orphanedSteps returns the steps that have had an effect, or may have, for an object that was
// undone, and that were not undone themselves.
func (a *aftermath) orphanedSteps() (steps []*plan.Step) {
	maybe := operation.StatusOf(a.failure) != actions.Refused
	for i := range a.Operation.RelyOn(a.undone) {
		did := a.Finished[i] || slices.ContainsFunc(a.Touched, func(t *operation.Touched) bool {
			return t.Step.Index == i && (t.Done || maybe && i == a.Failed)
		})
		if s := a.Operation.Steps[i]; did && !a.undone[i] && s.Effect == actions.Write {
			steps = append(steps, s)
		}
	}
	return steps
}

// listOrphan marks the intents of a step of this create as failed, for an element of its loop: those of
// a list for which own returns true. It writes one if there is none.
func (a *aftermath) listOrphan(s *plan.Step, element string, list []journal.Intent, own func(journal.Intent) bool, why string) error {
	found := false
	for _, i := range list {
		if i.Step == s.Index && i.Token == a.token && own(i) {
			found = true
			if err := a.putOrphan(i, why); err != nil {
				return err
			}
		}
	}
	if found {
		return nil
	}
	about := a.intent(s)
	about.Element = element
	i, err := a.book().Begin(about, false)
	if err != nil {
		return err
	}
	return a.putOrphan(i, why)
}

// putOrphan marks an intent as failed. With a new token and no hash, neither a recorded state nor a later
// run settles it.
func (a *aftermath) putOrphan(i journal.Intent, why string) error {
	i.Token, i.Hash, i.Status = a.res.all.Tokens.Next(), "", journal.Failed
	i.Error = screen.Show(why, a.Mask()).String()
	return a.book().Put(i, false)
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
		if i.Operation != journal.Create || !relying[i.Step] || a.undone[i.Step] || i.Hash != a.inputsHash() || !i.Open() {
			continue
		}
		err = errors.Join(err, a.putOrphan(i, "what it belongs to was undone, and it is not known whether this was done"))
	}
	return err
}
