package engine

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/screen"
)

// listBereft lists what steps have done for what was undone since, or may have, and
// is not undone itself. The next run does it again for what it makes then, and nothing
// but the journal knows of this.
func (r *run) listBereft(undone map[int]bool, failure error) error {
	maybe := statusOf(failure) != actions.Refused
	var bereft []*plan.Step
	for i := range r.op.RelyOn(undone) {
		did := r.finished[i] || slices.ContainsFunc(r.touched, func(t *touched) bool {
			return t.step.Index == i && (t.done || maybe && i == r.failed)
		})
		if s := r.op.Steps[i]; did && !undone[i] && s.Effect == actions.Write {
			bereft = append(bereft, s)
		}
	}
	if bereft == nil {
		return nil
	}
	book, err := r.engine.book()
	if err != nil {
		return err
	}
	list, err := book.Of(r.subject())
	if err != nil {
		return err
	}
	for _, s := range bereft {
		for _, element := range r.elementsOf(s) {
			own := slices.DeleteFunc(slices.Clone(list), func(i journal.Intent) bool {
				return i.Step != s.Index || i.Token != r.token || element != "" && i.Element != element
			})
			if len(own) == 0 {
				about := r.intent(s)
				about.Element = element
				i, err := book.Begin(about, false)
				if err != nil {
					return err
				}
				own = append(own, i)
			}
			for _, i := range own {
				// It is of no create that the host will record, nor of one that goes on.
				i.Token, i.Hash, i.Status = r.engine.tokens.next(), "", journal.Failed
				i.Error = screen.Show("what it belongs to was undone, and this was not: "+failure.Error(), r.Mask()).String()
				if err := book.Put(i, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// listEarlierBereft keeps on the list what earlier runs may have done for an object
// that was undone now: the next create is about another one.
func (r *run) listEarlierBereft(undone map[int]bool) error {
	relying := r.op.RelyOn(undone)
	if len(relying) == 0 || !r.mayHaveEarlier() {
		return nil
	}
	book, err := r.engine.book()
	if err != nil {
		return err
	}
	list, err := book.Of(r.subject())
	for _, i := range list {
		if i.Operation != journal.Create || !relying[i.Step] || undone[i.Step] || i.Hash != r.inputsHash() || !i.Open() {
			continue
		}
		i.Token, i.Hash, i.Status = r.engine.tokens.next(), "", journal.Failed
		i.Error = "what it belongs to was undone, and nobody knows whether this was done"
		err = errors.Join(err, book.Put(i, false))
	}
	return err
}

// elementsOf are the keys of the elements that a step has done, or may have, here and in
// the runs that this one goes on with; "" alone where it is no loop.
func (r *run) elementsOf(s *plan.Step) []string {
	if s.ForEach == nil {
		return []string{""}
	}
	keys := slices.Clone(r.turns[s.Index])
	if r.finished[s.Index] {
		switch results := r.results[s.Index].(type) {
		case []any:
			for i := range results {
				keys = append(keys, strconv.Itoa(i))
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(results)) {
				keys = append(keys, r.hiddenKey(key)) // nobody knows any more whether they are secret
			}
		}
	}
	return keys
}

// takeTurn notes that the element that a loop is at was done, or may have been.
func (r *run) takeTurn(s *plan.Step) {
	if s.ForEach == nil || r.undoing || slices.Contains(r.turns[s.Index], r.at) {
		return
	}
	if r.turns == nil {
		r.turns = map[int][]string{}
	}
	r.turns[s.Index] = append(r.turns[s.Index], r.at)
}
