package model

import (
	"slices"

	"github.com/declprov/declprov/tests/model/specgen"
)

// wanted looks whether the world is as a converged program has it.
func (o *Oracle) wanted(who string, p Program) {
	o.api.mu.Lock()
	defer o.api.mu.Unlock()
	recorded := o.recorded(who)
	for slot, in := range p {
		at := slices.IndexFunc(recorded, func(r Recorded) bool { return r.Slot == slot && !r.Delete })
		if at < 0 {
			o.violation(notAsWanted, "%s %s is not in the state", who, slot)
			continue
		}
		t := o.api.find(recorded[at].ID)
		switch {
		case t == nil:
			o.violation(notAsWanted, "%s %s has the id %s, and there is no such object", who, slot, recorded[at].ID)
		case t.Name != in.Name || t.Colour != in.Colour || int(t.Size) != in.Size:
			o.violation(notAsWanted, "%s %s is %s %s %v, and should be %s %s %d", who, slot, t.Name, t.Colour, t.Size, in.Name, in.Colour, in.Size)
		case t.Owner == who && t.Slot == slot && o.imported[t] == "":
			o.complete(t)
		}
	}
}

// complete looks whether an object has the parts that its create makes, unless a
// delete of it has begun.
func (o *Oracle) complete(t *Thing) {
	of := func(part *Thing) bool { return part != nil && part.Parent == t.ID }
	done := func(did func(*Entry) bool) bool { return slices.ContainsFunc(o.api.log, did) }
	if done(func(e *Entry) bool { return e.Step == "delete" && of(e.Thing) }) {
		return
	}
	if isLate(t) {
		o.count(lateResidual) // it took the place of one that had them
		return
	}
	for _, label := range o.spec.LabelNames() {
		switch {
		case slices.ContainsFunc(o.api.living(), func(part *Thing) bool { return of(part) && part.Label == label }):
		case o.spec.Labels[specgen.MayOverwrite] && t.Holders[stackA] && t.Holders[stackB]:
			o.count(specgen.MayOverwrite) // both have overwritten it, and one has undone that
		default:
			o.violation(notAsWanted, "#%d of %s %s has no part %s", t.Serial, t.Owner, t.Slot, label)
		}
	}
}
