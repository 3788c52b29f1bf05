package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec"
)

// findPlaces finds of each step that reads, changes or removes something which steps of
// create make that: those that go to the same place, or, where there are none, those that
// make something in the folder of it (POST /things, and DELETE /things/${id}).
func (r *resource) findPlaces() {
	if r.create == nil {
		return
	}
	for _, op := range []*operation{r.read, r.update, r.delete} {
		if op == nil {
			continue
		}
		for _, s := range op.steps {
			if s.place == "" {
				continue
			}
			at := placeOf(s, r.spec.ID)
			s.about = r.create.making(func(s *step) bool { return placeOf(s, r.spec.ID) == at })
			if s.about == nil {
				s.about = r.create.making(func(s *step) bool {
					rest, inside := strings.CutPrefix(at, placeOf(s, r.spec.ID)+"/")
					return inside && oneSegment.MatchString(rest)
				})
			}
		}
	}
}

// makerByPlace is the step of create that makes what is read, or else what delete removes
// in one step; nil is that nobody can tell.
func (r *resource) makerByPlace() *step {
	looks := r.delete
	if r.read != nil {
		looks = r.read
	} else if looks == nil || len(looks.steps) > 1 {
		return nil
	}
	for _, s := range looks.steps {
		if s.about != nil {
			return r.create.steps[s.about[0]]
		}
	}
	return nil
}

// oneSegment is the rest of a path that is one segment, as written.
var oneSegment = regexp.MustCompile(`^(\$\{[^{}]*\}|[^/$])+$`)

// making are the indices of the steps that may be what brings something into the world,
// and of which that holds.
func (o *operation) making(holds func(*step) bool) []int {
	var out []int
	for _, s := range o.steps {
		if s.effect == actions.Write && s.makes && s.place != "" && holds(s) {
			out = append(out, s.index)
		}
	}
	return out
}

// placeOf is the place of a step with what the id is made of for `id`: delete has that,
// where create has inputs and responses.
func placeOf(s *step, id *spec.Node) string {
	text := tight.ReplaceAllString(s.place, "$${$1}")
	if id == nil || id.Kind != spec.StringNode {
		return text
	}
	return strings.ReplaceAll(text, "${id}", tight.ReplaceAllString(id.Text, "$${$1}"))
}

// tight finds expressions, without the space around them.
var tight = regexp.MustCompile(`\$\{\s*([^{}]*?)\s*\}`)

// partial is what there is of a create that stopped: what this run or an earlier one has
// done, or may have, and has not undone. nil is all of it.
func (r *run) partial(undone map[int]bool) *Partial {
	out := &Partial{Made: []int{}, Steps: r.op.shape()}
	may := func(i int) bool {
		return r.resumed && r.of == nil || i < r.failed || r.finished[i] || r.of.made(i) ||
			slices.ContainsFunc(r.touched, func(t *touched) bool { return t.step.index == i })
	}
	whole := true
	for i, s := range r.op.steps {
		if may(i) && !undone[i] {
			out.Made = append(out.Made, i)
		} else if s.effect == actions.Write {
			whole = false
		}
	}
	if whole {
		return nil
	}
	return out
}

// partialAfter is what there is of the create of a resource that has been updated since:
// what it lacked, an update may have made.
func (r *run) partialAfter() *Partial {
	if r.of == nil || r.verb != update {
		return r.of
	}
	out := &Partial{Made: slices.Clone(r.of.Made), Steps: r.of.Steps}
	for _, t := range r.touched {
		if t.step.makes {
			out.Made = append(out.Made, t.step.about...)
		}
	}
	slices.Sort(out.Made)
	out.Made = slices.Compact(out.Made)
	for i, s := range r.res.create.steps {
		if s.effect == actions.Write && !out.made(i) {
			return out
		}
	}
	return nil
}

// madeSince is what there is of a create by the state and by the journal: a run that went
// on with it and died has told nobody else.
func (e *Engine) madeSince(res *resource, ref Ref, s State) *Partial {
	if s.Private.Partial == nil {
		return nil
	}
	book, err := e.book()
	if err != nil || !book.Has(e.subject(ref)) {
		return s.Private.Partial
	}
	out := &Partial{Made: slices.Clone(s.Private.Partial.Made), Steps: s.Private.Partial.Steps}
	list, _ := book.Of(e.subject(ref)) // the next create says what cannot be read
	for _, i := range list {
		if i.Operation == journal.Create && i.Token == s.Private.Token {
			out.Made = append(out.Made, i.Step)
		}
	}
	return out
}

// noted writes down that a create which goes on is about to make what its state says was
// never made, and returns what takes that back once it was answered: the state that the
// host gets then says so. A run that dies before leaves it in the journal.
func (r *run) noted(s *step) (answered func() error, err error) {
	if r.verb != create || r.undoing || s.effect != actions.Write || r.of == nil || r.of.made(s.index) {
		return func() error { return nil }, nil
	}
	book, err := r.engine.book()
	if err != nil {
		return nil, err
	}
	intent, err := book.Begin(r.intent(s), false)
	return func() error { return r.forget(book, intent) }, err
}

// made reports whether something of that step may be there.
func (p *Partial) made(step int) bool { return p != nil && slices.Contains(p.Made, step) }

// lacksObject reports whether the create has stopped before it made the object itself, or
// has undone it: what is there under its id is somebody else's.
func (r *resource) lacksObject(p *Partial) bool {
	return p != nil && r.maker != nil && p.Steps == r.create.shape() && !p.made(r.maker.index)
}

// refuseForeign refuses a step of an update that would change what the create has never
// made. One that makes it may, unless the create was told not to make it twice.
func (r *run) refuseForeign(s *step) error {
	if r.verb != update || !r.neverMade(s) {
		return nil
	}
	if s.makes && !slices.ContainsFunc(s.about, func(i int) bool { return r.res.create.steps[i].certainty == actions.Conditional }) {
		return nil
	}
	return r.stop(s, 1, actions.Refused, fmt.Errorf("%s of the create, which makes what this changes, was never done: nothing was sent, because what may be there now is not its own; "+
		"see to what is in its way, and run `pulumi up` again, or `pulumi up --replace` with its URN", r.res.create.steps[s.about[0]].name))
}

// neverMade reports whether a step is about what the create has never made, because it
// stopped before that or was refused: what is there is somebody else's.
func (r *run) neverMade(s *step) bool {
	return r.of != nil && len(s.about) > 0 && r.of.Steps == r.res.create.shape() &&
		!slices.ContainsFunc(s.about, r.of.made)
}
