package run

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
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
	for _, s := range steps {
		for _, element := range a.elementsOf(s) {
			if err := a.listOrphan(s, element, list); err != nil {
				return err
			}
		}
	}
	return nil
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

// listOrphan marks the intents of a step, for an element of its loop, as failed. It writes one if
// there is none. list are the intents of the resource.
func (a *aftermath) listOrphan(s *plan.Step, element string, list []journal.Intent) error {
	own := slices.DeleteFunc(slices.Clone(list), func(i journal.Intent) bool {
		return i.Step != s.Index || i.Token != a.token || element != "" && i.Element != element
	})
	if len(own) == 0 {
		about := a.intent(s)
		about.Element = element
		i, err := a.book().Begin(about, false)
		if err != nil {
			return err
		}
		own = append(own, i)
	}
	for _, i := range own {
		// With a new token and no hash, neither a recorded state nor a later run settles it.
		i.Token, i.Hash, i.Status = a.res.all.Tokens.Next(), "", journal.Failed
		i.Error = screen.Show("what it belongs to was undone, and this was not: "+a.failure.Error(), a.Mask()).String()
		if err := a.book().Put(i, false); err != nil {
			return err
		}
	}
	return nil
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
		i.Token, i.Hash, i.Status = a.res.all.Tokens.Next(), "", journal.Failed
		i.Error = "what it belongs to was undone, and it is not known whether this was done"
		err = errors.Join(err, a.book().Put(i, false))
	}
	return err
}

// elementsOf returns the keys of the elements that a step has done, or may have, in this run and
// in those that it continues. It returns only "" for a step without `forEach`.
func (a *aftermath) elementsOf(s *plan.Step) []string {
	if s.ForEach == nil {
		return []string{""}
	}
	keys := slices.Clone(a.Turns[s.Index])
	if a.Finished[s.Index] {
		switch results := a.Results[s.Index].(type) {
		case []any:
			for i := range results {
				keys = append(keys, strconv.Itoa(i))
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(results)) {
				keys = append(keys, a.HiddenKey(key)) // the results do not tell whether the keys are secret
			}
		}
	}
	return keys
}
