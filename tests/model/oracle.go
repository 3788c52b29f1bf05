package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/tests/model/specgen"
)

// Violation is a promise that was broken.
type Violation struct {
	// Kind is which: see the constants.
	Kind string
	Text string
}

// The promises.
const (
	madeTwice   = "made twice"
	lost        = "lost and not listed"
	touched     = "another owner's object touched"
	adopted     = "another owner's object adopted"
	tried       = "a try touched what it did not make"
	begun       = "begun after a cancel"
	undone      = "deleted what it had made"
	stuck       = "stuck"
	unnamed     = "stuck for want of a remedy"
	notAsWanted = "not as wanted"
	wronglyVet  = "vet"
	bug         = "a bug in declprov"
)

// What is counted apart: the labels that vet gives, and what is documented.
const (
	windowResidual = "residual: made by another owner between find and the verdict"
	lateResidual   = "residual: a commit later than consistency"
	bereftPart     = "a part of what was deleted unheard"
	reusedResidual = "residual: another owner reused a recorded id, or the name that read asks by"
)

// window is how long the spec says that a commit may take.
var window = must(time.ParseDuration(specgen.Consistency))

// answered is how long the spec says that a response is waited for.
var answered = must(time.ParseDuration(specgen.Timeout))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Oracle judges a history by the API's log and by the owners that it records. What
// the engine says is not asked.
type Oracle struct {
	spec *specgen.Spec
	api  *API
	// recorded are the states; listed says whether a stack's journal names a
	// resource.
	recorded func(who string) []Recorded
	listed   func(who, slot string) bool

	violations []Violation
	counts     map[string]int
	// told are the objects of which something was said.
	told map[*Thing]bool
	// mistaken are the slots that took another owner's object for theirs, as the
	// documents say may happen.
	mistaken map[string]bool
	// imported are the objects that a user took over, by the slot of theirs.
	imported map[*Thing]string
	// cancelled are the commands that were cancelled, and when, by who runs them.
	cancelled map[string]cancellation
}

// cancellation is when the provider of a command knew that it was cancelled.
type cancellation struct {
	command int
	at      time.Time
}

// cancel notes that the command that runs was cancelled.
func (o *Oracle) cancel(who string, command int) {
	o.api.mu.Lock()
	defer o.api.mu.Unlock()
	if o.cancelled[who].command != command {
		o.cancelled[who] = cancellation{command, time.Now()}
	}
}

func (o *Oracle) violation(kind, format string, args ...any) {
	o.violations = append(o.violations, Violation{kind, fmt.Sprintf(format, args...)})
}

func (o *Oracle) count(what string) { o.counts[what]++ }

// effect looks at an effect as it happens, with the API's lock.
func (o *Oracle) effect(e *Entry) {
	t := e.Thing
	if e.Effect == Made {
		t.Reused = map[string]bool{}
		for _, who := range []string{stackA, stackB} {
			t.Reused[who] = who != e.Who && slices.ContainsFunc(o.recorded(who), func(r Recorded) bool { return o.takesPlace(t, r.ID) })
		}
	}
	if e.Who == foreign {
		return
	}
	if c, ok := o.cancelled[e.Who]; ok && c.command == e.Command && e.Arrived.After(c.at) && e.Step != "undo" {
		o.violation(begun, "%s", e)
	}
	switch {
	case e.Effect == Made:
		o.making(e)
	case e.Effect == Again && t.Owner == e.Who && t.Slot == e.Slot:
		o.again(e)
	case t.Holders[e.Who]:
	case t.Parent != "" && t.Owner == foreign && !o.tookOver(e, t.Parent):
		o.besides(e)
	case t.Parent != "" && o.api.holds(e.Who, t.Parent):
		t.Holders[e.Who] = true // whoever holds an object holds its parts
	case o.excuses(e.Who, e.Slot, o.api.whole(t), e):
		t.Holders[e.Who], o.api.whole(t).Holders[e.Who] = true, true
	case o.spec.Labels[specgen.MayOverwrite] && o.api.held(e.Who, cmp.Or(t.Parent, t.ID)):
		// Both have overwritten what has this id, and each goes on with what is there.
		o.count(specgen.MayOverwrite)
		t.Holders[e.Who] = true
	case e.Who == trier:
		o.violation(tried, "a try %s #%d (%s), which %s made", e.Effect, t.Serial, e.Step, t.Owner)
	default:
		o.violation(touched, "%s %s %s #%d (%s), which %s made for %q", e.Who, e.Slot, e.Effect, t.Serial, e.Step, t.Owner, t.Slot)
		t.Holders[e.Who] = true // it is said once
	}
}

// takesPlace reports whether a new object, or a part of one, is where a state will find the
// one that it records: by its id, or by the name of one that is gone.
func (o *Oracle) takesPlace(t *Thing, id string) bool {
	return cmp.Or(t.Parent, t.ID) == id || o.spec.ImportByName && slices.ContainsFunc(o.api.things, func(old *Thing) bool {
		return old.Gone && old.ID == id && old.Name == t.Name
	})
}

// excuses reports whether the documents say that an object of another owner may
// be taken for one's own, and counts it.
func (o *Oracle) excuses(who, slot string, t *Thing, e *Entry) bool {
	switch {
	case e != nil && e.Step == "create" && o.spec.Labels[specgen.MayOverwrite]:
		o.count(specgen.MayOverwrite)
	case t.Reused[who], o.undid(who, slot, t):
		o.count(reusedResidual)
	case e != nil && e.Excused && e.At.Sub(e.Arrived) > window && t.Made.At.After(e.Arrived):
		o.count(lateResidual) // it was sent while its own was there
	case e != nil && e.Step == "undo" && o.repeated(e, t):
		o.count(windowResidual)
	case o.inWindow(who, slot, t, e):
		o.count(windowResidual)
		o.mistaken[who+slot] = true
	default:
		return false
	}
	return true
}

// repeated reports whether a request was sent before, to the same place, and carried out
// before an object was made there: its response was lost, so it was sent again.
func (o *Oracle) repeated(e *Entry, t *Thing) bool {
	return slices.ContainsFunc(o.api.log, func(before *Entry) bool {
		return before.Seq < t.Made.Seq && before.Command == e.Command && before.Who == e.Who && before.Slot == e.Slot && before.Step == e.Step &&
			before.Path == e.Path && before.Unlucky != ""
	})
}

// inWindow reports whether an object was made, or got its name, after the owner of a
// slot had looked and found nothing, and before it knew what came of the create that it
// sent then. What does not hold what was sent, nobody may take for it afterwards.
func (o *Oracle) inWindow(who, slot string, t *Thing, now *Entry) bool {
	for _, e := range o.api.log {
		if e.Who != who || e.Slot != slot || e.Step != "create" && e.Step != "update" || !e.Excused && e != now || e != now && !t.says(e.Body) && !t.renamedTo(e.Body) {
			continue
		}
		looked := o.lookedBefore(e)
		// A search that lags may not have shown what was there.
		if looked != nil && (looked.Status >= 400 || looked.ShowsNothing) && (t.Made.Seq > looked.Seq || t.Changed != nil && t.renamedTo(e.Body) && t.Changed.Seq > looked.Seq || o.spec.Lags && looked.At.Sub(t.Made.At) < lag) {
			return true
		}
	}
	return false
}

// lookedBefore is the last find before a request was sent, however late that was carried
// out.
func (o *Oracle) lookedBefore(sent *Entry) *Entry {
	var looked *Entry
	for _, e := range o.api.log {
		if e.Who == sent.Who && e.Slot == sent.Slot && e.Step == "find" && e.At.Before(sent.Arrived) {
			looked = e
		}
	}
	return looked
}

// making looks at an object that was made: there may be no other one that was
// made for the same resource, unless the state has it.
func (o *Oracle) making(e *Entry) {
	t := e.Thing
	for _, other := range o.api.living() {
		if other == t || other.Owner != t.Owner || other.Slot != t.Slot || other.Parent != t.Parent || other.Label != t.Label {
			continue
		}
		if t.Parent == "" && o.covered(other) || o.api.bereft(other) {
			continue
		}
		switch {
		case o.spec.Labels[specgen.AtLeastOnce] && (other.Made.Excused || e.Excused) && o.mayRepeat(other.Made, e):
			o.count(specgen.AtLeastOnce)
		case o.api.failedToMake(other), other.Changed != nil && hasFailed(other.Changed), o.api.outlived(other):
			continue // which was heard: it is done anew, and what is left has to be listed
		case isLate(t) || isLate(other):
			o.count(lateResidual)
		case o.spec.Labels[specgen.NoDelete]:
			o.count(specgen.NoDelete)
		case o.told[other]:
		case !o.spec.Finds() && o.spec.Way != specgen.Keyed && other.Made.Body != e.Body:
			continue // nothing can tell what came of the one of before; it has to be listed
		default:
			o.violation(madeTwice, "#%d was made for %s %s while #%d is there (%s)", t.Serial, t.Owner, t.Slot, other.Serial, other.Made)
		}
		o.told[other] = true
	}
}

// hasFailed reports whether a client was told that what it asked for was begun and
// has failed.
func hasFailed(e *Entry) bool {
	return strings.HasPrefix(e.Unlucky, "exit") || strings.HasPrefix(e.Unlucky, "error inside 200")
}

// mayRepeat reports whether an effect that is labelled at-least-once may be
// repeated where it was: by the next run, and within one only where the spec says
// so of a command's exit code.
func (o *Oracle) mayRepeat(before, now *Entry) bool {
	return before.Command != now.Command || o.spec.Method == specgen.Command && o.spec.Retry != specgen.None
}

// again looks at another version of an object that its owner had made.
func (o *Oracle) again(e *Entry) {
	if o.api.failedToMake(e.Thing) {
		return
	}
	if e.Thing.Made.Excused && o.spec.Labels[specgen.AtLeastOnce] {
		o.count(specgen.AtLeastOnce)
		return
	}
	if isLate(e.Thing) || e.Excused && e.At.Sub(e.Arrived) > window {
		o.count(lateResidual)
		return
	}
	for _, r := range o.recorded(e.Who) {
		if r.Slot == e.Slot && r.ID == e.Thing.ID {
			return // a replacement, or a create that goes on
		}
	}
	o.violation(madeTwice, "#%d of %s %s was made once more", e.Thing.Serial, e.Who, e.Slot)
}

func isLate(t *Thing) bool { return t.Made.At.Sub(t.Made.Arrived) > window && t.Made.Excused }

// covered reports whether a state has an object, or the one that it is a part of.
func (o *Oracle) covered(t *Thing) bool {
	id, mark := t.ID, t.mark()
	if t.Parent != "" {
		id, mark = t.Parent, ""
		if parent := o.api.find(t.Parent); parent != nil {
			mark = parent.mark() // a create that went on may have made it under another id than the host's
		}
	}
	for _, who := range []string{stackA, stackB} {
		for _, r := range o.recorded(who) {
			if t.Holders[who] && (r.ID == id || mark != "" && r.Serial == mark) {
				return true
			}
		}
	}
	return false
}

// checkpoint looks at the world between two commands.
func (o *Oracle) checkpoint(when string) {
	o.api.mu.Lock()
	defer o.api.mu.Unlock()
	for _, who := range []string{stackA, stackB} {
		for _, r := range o.recorded(who) {
			o.owned(when, who, r)
		}
	}
	for _, t := range o.api.living() {
		if (t.Owner == stackA || t.Owner == stackB) && !o.told[t] {
			o.known(when, t)
		}
	}
}

// owned looks at what a state has: it must be its stack's own.
func (o *Oracle) owned(when, who string, r Recorded) {
	t := o.api.find(r.ID)
	switch {
	case t == nil: // it has gone, or has another id, which the provider knows
	case !t.Holders[who] && o.excuses(who, r.Slot, t, nil):
		t.Holders[who] = true
	case !t.Holders[who] && o.spec.Labels[specgen.MayOverwrite] && o.api.held(who, t.ID):
		o.count(specgen.MayOverwrite) // both have overwritten what has this id
		t.Holders[who] = true
	case !t.Holders[who]:
		o.violation(adopted, "%s: the state of %s has %s, which is #%d of %s", when, who, r, t.Serial, t.Owner)
		t.Holders[who] = true
	case t.Owner == who && t.Slot != r.Slot && o.imported[t] != r.Slot:
		o.violation(adopted, "%s: the state of %s has %s, which is #%d, made for %s", when, who, r, t.Serial, t.Slot)
		o.imported[t] = r.Slot
	}
}

// kept looks at what a command has deleted, and heard that it was deleted: nothing that
// the state has after it.
func (o *Oracle) kept(who string, command int) {
	o.api.mu.Lock()
	defer o.api.mu.Unlock()
	latest := map[string]*Entry{} // what became of objects, by id
	for _, e := range o.api.log {
		if (e.Effect == Made || e.Effect == Removed) && e.Thing.Parent == "" {
			latest[e.Thing.ID] = e
		}
	}
	for _, r := range o.recorded(who) {
		if e := latest[r.ID]; e != nil && e.Effect == Removed && e.Who == who && e.Command == command && e.Step == "delete" && !e.Excused {
			o.violation(undone, "the state of %s has %s, which this command has deleted: %s", who, r, e)
		}
	}
}

// known looks at an object of a stack's: a state has it, or the journal lists it.
func (o *Oracle) known(when string, t *Thing) {
	if o.covered(t) || o.listed(t.Owner, t.Slot) {
		return
	}
	switch {
	case o.spec.Labels[specgen.AtLeastOnce] && t.Made.Excused:
		o.count(specgen.AtLeastOnce)
	case isLate(t):
		o.count(lateResidual)
	case o.mistaken[t.Owner+t.Slot]:
		o.count(windowResidual) // the other one was taken for it
	case o.api.bereft(t):
		o.count(bereftPart)
	case o.spec.Labels[specgen.NoDelete]:
		o.count(specgen.NoDelete)
	default:
		o.violation(lost, "%s: #%d (%s%s) of %s %s is in no state and in no journal; it was made by: %s", when, t.Serial, t.ID, partOf(t), t.Owner, t.Slot, t.Made)
	}
	o.told[t] = true
}

func partOf(t *Thing) string {
	if t.Parent == "" {
		return ""
	}
	return ", a part of " + t.Parent
}

// excuse says that nobody can blame the client for what it did not hear of the
// requests of a command: it died.
func (o *Oracle) excuse(who string, command int, why string) {
	o.api.mu.Lock()
	defer o.api.mu.Unlock()
	for _, e := range o.api.log {
		if e.Who == who && e.Command == command {
			e.Excused = true
			if !strings.Contains(e.Unlucky, why) {
				e.Unlucky = strings.Trim(e.Unlucky+", "+why, ", ")
			}
		}
	}
}
