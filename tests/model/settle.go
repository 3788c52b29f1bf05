package model

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/tests/model/specgen"
)

// rounds is how often a user tries before giving up.
const rounds = 12

// settle is the end of every history: nothing goes wrong any more, each user runs
// `up` and does what messages say until nothing is left to do, and destroys
// everything then.
func (w *World) settle() {
	w.proxy.quiet() // what comes late has come
	w.log()
	w.oracle.checkpoint("when nothing goes wrong any more")
	for _, who := range []string{stackA, stackB} {
		if who == stackB && !w.used(stackB) {
			continue
		}
		w.next()
		w.proxy.begin(w.command, who, nil)
		w.say("%d. the end of %s: %v", w.command, who, Op{Who: who, Do: "up", Program: w.programs[who]})
		u := &user{World: w, who: who}
		if u.converge() {
			if w.h.Spec.Moves() {
				u.refresh() // after which the host has the id that an update gave
			}
			w.log()
			w.oracle.wanted(who, w.programs[who])
			u.destroy()
		}
		w.log()
		w.oracle.checkpoint("at the end")
	}
}

func (w *World) used(who string) bool {
	return slices.ContainsFunc(w.h.Ops, func(op Op) bool { return op.Who == who })
}

// user is somebody who reads messages.
type user struct {
	*World
	who string
	// asked is how often each remedy was tried.
	asked map[string]int
}

// converge runs `up` until it works twice, with a refresh in between.
func (u *user) converge() bool {
	u.asked = map[string]int{}
	var said []string
	for worked, round := 0, 0; round < rounds; round++ {
		said = u.stacks[u.who].Up(u.programs[u.who])
		u.hear(u.who, said)
		u.log()
		switch {
		case len(said) > 0 && !u.remedy(said):
			kind := stuck
			u.say("   it names nothing that helps; would a refresh?")
			if len(u.refresh()) == 0 && len(u.stacks[u.who].Up(u.programs[u.who])) == 0 {
				kind = unnamed
			}
			u.oracle.violation(kind, "%s cannot go on: %s", u.who, strings.Join(said, "\n"))
			return kind == unnamed
		case len(said) > 0:
			worked = 0
		case worked == 0:
			worked++
			if said := u.refresh(); len(said) > 0 {
				u.oracle.violation(stuck, "%s cannot refresh: %s", u.who, strings.Join(said, "\n"))
				return false
			}
		default:
			return true
		}
	}
	u.oracle.violation(stuck, "%s has no end: %s", u.who, strings.Join(said, "\n"))
	return false
}

// refresh refreshes; a machine that is slow has a few tries.
func (u *user) refresh() []string {
	var said []string
	for range 3 {
		said = u.stacks[u.who].Refresh()
		u.hear(u.who, said)
		if len(said) == 0 || !tooSlow(said[0]) {
			break
		}
	}
	return said
}

// tooSlow reports whether a message is about a response that did not come in time:
// here, where nothing goes wrong any more, that of a machine that has much to do.
func tooSlow(text string) bool {
	return strings.Contains(text, "no complete response within") || strings.Contains(text, "took longer than its timeout")
}

// destroy destroys everything.
func (u *user) destroy() {
	u.asked = map[string]int{}
	for range rounds {
		said := u.stacks[u.who].Destroy()
		u.hear(u.who, said)
		u.log()
		if len(said) == 0 {
			return
		}
		if !u.remedy(said) {
			u.oracle.violation(stuck, "%s cannot destroy: %s", u.who, strings.Join(said, "\n"))
			return
		}
	}
	u.oracle.violation(stuck, "%s has no end of destroying", u.who)
}

// remedy does what messages name, each at most twice. It reports whether there was
// anything to do.
func (u *user) remedy(said []string) bool {
	text := strings.Join(said, "\n")
	once := func(what string) bool {
		u.asked[what]++
		return u.asked[what] <= 2
	}
	slot, _, _ := strings.Cut(said[0], ":")
	switch {
	case tooSlow(text) && once("slow"):
		u.say("   the machine is slow")
		return true
	case u.strangersLeave():
		u.say("   another owner goes away")
		return true
	case strings.Contains(text, "deleteBeforeReplace") && u.deletesFirst(slot) && once("deleteBeforeReplace"):
		u.say("   it names `deleteBeforeReplace`")
		return true
	case strings.Contains(text, "refresh") && once("refresh"):
		u.say("   it names a refresh")
		u.refresh()
		return true
	case strings.Contains(text, "`pulumi up`") && once("up"):
		u.say("   it names `pulumi up`")
		return true
	case strings.Contains(text, "import") && u.orphan(slot) != nil && once("import"):
		u.say("   it names `pulumi import`")
		said := u.importThing(u.who, slot, u.orphan(slot))
		u.hear(u.who, said)
		if len(said) > 0 { // such as: the state has it already, and this would replace it
			u.say("   which cannot be done: it is deleted by hand")
			u.byHand(slot)
		}
		return true
	case strings.Contains(text, "declprov journal") && once("journal"):
		u.say("   it names `declprov journal`: what is left is deleted by hand, and the entry forgotten")
		u.byHand(slot)
		if !strings.Contains(text, `("beside")`) { // of which the entry says where it is
			u.doubtfulByHand(slot)
		}
		u.forget(slot)
		return true
	case strings.Contains(text, "exists already") && u.bereftByHand(slot) && once("bereft"):
		u.say("   what is there is left of what another owner has deleted: it is deleted by hand")
		return true
	case u.late(slot) && once("late"):
		u.say("   it was made later than the spec's `consistency`: it is deleted by hand")
		u.oracle.count(lateResidual)
		u.byHand(slot)
		return true
	case u.oracle.spec.Labels[specgen.AtLeastOnce] && u.excusedOrphan(slot) && once("by hand"):
		u.say("   vet has said that it may be made twice: what is left is deleted by hand")
		u.oracle.count(specgen.AtLeastOnce)
		u.byHand(slot)
		return true
	}
	return false
}

// deletesFirst writes `deleteBeforeReplace: true` into the program. The programs of the
// CLI's histories are what they are.
func (u *user) deletesFirst(slot string) bool {
	s, simulated := u.stacks[u.who].(*Simulated)
	if simulated {
		s.DeleteFirst(slot)
	}
	return simulated
}

// strangersLeave removes what other owners have under names that the program
// wants.
func (u *user) strangersLeave() bool {
	left := false
	for _, in := range u.programs[u.who] {
		u.api.mu.Lock()
		var t *Thing
		for _, other := range u.api.living() {
			if u.h.Spec.Beside && other.Owner != u.who && other.Parent == in.Name && other.Label == "two" {
				t = other
				break
			}
			if other.Parent == "" && other.Name == in.Name && (!other.Holders[u.who] || other.Owner != u.who || u.takenOver(other) != "") {
				t = other
			}
		}
		u.api.mu.Unlock()
		if t != nil {
			left = true
			switch t.Owner {
			case foreign:
				if t.Parent != "" {
					u.stranger(leavePart, "", t.Parent)
					break
				}
				u.stranger("delete", "", t.Name)
			case trier: // who was told of what is left of a try
				u.byHandOf(t.Owner, t)
			default:
				owner := t.Owner
				if taken := u.takenOver(t); taken != "" {
					owner = taken
				}
				u.hear(owner, u.stacks[owner].Destroy())
				u.wants(owner, Program{})
				u.byHandOf(owner, t)
			}
		}
	}
	return left
}

// takenOver is the other stack that has imported an object of the user's own, which
// the user's state does not have; "" where none has.
func (u *user) takenOver(t *Thing) string {
	has := func(who string) bool {
		return slices.ContainsFunc(u.recorded(who), func(r Recorded) bool { return r.ID == t.ID })
	}
	for _, who := range []string{stackA, stackB} {
		if who != u.who && t.Owner == u.who && t.Holders[who] && has(who) && !has(u.who) {
			return who
		}
	}
	return ""
}

// orphan is an object of the user's own that the state does not have.
func (u *user) orphan(slot string) *Thing {
	u.api.mu.Lock()
	defer u.api.mu.Unlock()
	for _, t := range u.api.living() {
		if t.Owner == u.who && t.Slot == slot && t.Parent == "" && !u.oracle.covered(t) {
			return t
		}
	}
	return nil
}

func (u *user) excusedOrphan(slot string) bool {
	t := u.orphan(slot)
	return t != nil && t.Made.Excused
}

// late reports whether what is in no state came later than the spec says.
func (u *user) late(slot string) bool {
	t := u.orphan(slot)
	return t != nil && isLate(t)
}

// byHand deletes what the user's own is and in no state.
func (u *user) byHand(slot string) {
	for t := u.orphan(slot); t != nil; t = u.orphan(slot) {
		u.byHandOf(u.who, t)
	}
}

// doubtfulByHand deletes what a half-made create may have made, which the state has by its
// id and nobody can take for done.
func (u *user) doubtfulByHand(slot string) {
	u.api.mu.Lock()
	var doubtful []*Thing
	for _, t := range u.api.living() {
		if t.Owner == u.who && t.Slot == slot && t.Parent == "" && t.Made.Excused && t.Made.Step == "create" {
			doubtful = append(doubtful, t)
		}
	}
	u.api.mu.Unlock()
	for _, t := range doubtful {
		if u.takenOver(t) == "" { // what another stack has by now is not theirs to delete
			u.byHandOf(u.who, t)
		}
	}
}

// bereftByHand deletes the parts of the user's own, of what another owner has deleted, that
// a message is about.
func (u *user) bereftByHand(slot string) bool {
	u.api.mu.Lock()
	defer u.api.mu.Unlock()
	found := false
	for _, t := range u.api.living() {
		if t.Owner == u.who && t.Slot == slot && t.Label == "two" && u.oracle.api.bereft(t) {
			t.Gone, found = true, true
		}
	}
	return found
}

// byHandOf deletes an object, with its parts, past the proxy. If a stack has written over the
// object of another, both have parts of it.
func (u *user) byHandOf(who string, t *Thing) {
	u.api.mu.Lock()
	defer u.api.mu.Unlock()
	t.Gone, t.Marked = true, false
	for _, part := range u.api.things {
		if part.Parent == t.ID && (part.Owner == who || part.Owner == stackA || part.Owner == stackB) {
			part.Gone = true
		}
	}
}

// forget takes the user's entries of a resource out of the journal, and deletes the
// parts by hand that they are about: what the object is deleted with goes with it, and
// that of another owner stays.
func (u *user) forget(slot string) {
	book := journal.Open(u.journals[u.who])
	intents, _ := book.List()
	for _, i := range intents {
		if i.Resource == u.stacks[u.who].URN(slot) {
			_ = book.Settle(i.Subject, func(o journal.Intent) bool { return o.Key == i.Key })
			u.partByHand(slot, i)
		}
	}
}

// partByHand deletes the parts that an entry is about and that are in no state.
func (u *user) partByHand(slot string, i journal.Intent) {
	u.api.mu.Lock()
	defer u.api.mu.Unlock()
	for _, t := range u.api.living() {
		if t.Owner == u.who && t.Slot == slot && t.Parent != "" && makesPart(i, t.Label) && (!u.oracle.covered(t) || u.h.Spec.Beside && t.Label == "two" && t.Made.Excused) {
			t.Gone = true
		}
	}
}

// makesPart reports whether an entry is of the step of a create, and the element of its
// loop, that makes the part of that label.
func makesPart(i journal.Intent, label string) bool {
	switch label {
	case "one":
		return i.Step == 1
	case "x", "y":
		return i.Step == 2 && (i.Element == "" || i.Element == map[string]string{"x": "0", "y": "1"}[label])
	default:
		return i.Step == 2
	}
}
