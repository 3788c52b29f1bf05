package model

import (
	"math/rand/v2"
	"slices"

	"github.com/declprov/declprov/tests/model/specgen"
)

// A part beside the object is one that another owner may have under its name: a create
// that is refused there is kept for what it did before, and its delete goes by that name.

// contest adds another owner who takes the names of parts, and gives them up.
func (h *History) contest(r *rand.Rand) {
	for range 1 + r.IntN(3) {
		do := []string{takePart, takePart, leavePart}[r.IntN(3)]
		op := Op{Who: foreign, Do: do, Name: names["one"][r.IntN(2)]}
		h.Ops = slices.Insert(h.Ops, r.IntN(len(h.Ops)), op)
	}
}

// takePart and leavePart are what another owner does about the part that a program wants.
const (
	takePart  = "take the part of"
	leavePart = "leave the part of"
)

// othersPart reports whether the part of that name is another owner's.
func (w *World) othersPart(name string) bool {
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	return slices.ContainsFunc(w.api.living(), func(t *Thing) bool { return t.Parent == name && t.Owner == foreign })
}

// tookOver reports whether the user has imported the object of that id: what others had
// made of it is then taken for its own.
func (o *Oracle) tookOver(e *Entry, id string) bool {
	for t, slot := range o.imported {
		if t.ID == id && slot == e.Slot && t.Holders[e.Who] {
			return true
		}
	}
	return false
}

// besides looks at what was done to a part that another owner has under a name that the
// resource has, too.
func (o *Oracle) besides(e *Entry) {
	t := e.Thing
	unheard := slices.ContainsFunc(o.api.log, func(sent *Entry) bool {
		return sent.Who == e.Who && sent.Slot == e.Slot && sent.Step == "part" && sent.Path == e.Path && sent.Excused && sent.Seq < e.Seq
	})
	switch {
	case o.spec.Labels[specgen.MayBeForeign] && !o.spec.Asks:
		o.count(specgen.MayBeForeign)
	case slices.ContainsFunc(o.api.things, func(own *Thing) bool {
		return own.Owner == e.Who && own.Slot == e.Slot && own.Parent == t.Parent && own.Label == t.Label && own.Serial < t.Serial
	}):
		o.count(reusedResidual) // its own was there, and the state has its name
	case unheard:
		o.count(windowResidual) // it may have made it, for all that it knows
	default:
		o.violation(touched, "%s %s %s part %s of #%d (%s), which %s made", e.Who, e.Slot, e.Effect, t.Label, t.Serial, e.Step, t.Owner)
	}
	t.Holders[e.Who] = true // it is said once
}

// undid reports whether another owner's object has the id of one that was the resource's
// own, and that it has undone.
func (o *Oracle) undid(who, slot string, t *Thing) bool {
	return t.Parent == "" && slices.ContainsFunc(o.api.log, func(e *Entry) bool {
		return e.Who == who && e.Slot == slot && e.Step == "undo" && e.Effect == Removed && e.Thing.ID == t.ID && e.Seq < t.Made.Seq
	})
}
