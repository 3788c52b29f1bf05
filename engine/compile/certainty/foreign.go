package certainty

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// checkForeign warns about the steps of an update or delete that may affect an object of somebody
// else: the path is made of inputs, and the step of create with that path may not have run. A
// create is kept once an earlier step has succeeded, also if a later one is refused because the
// name is taken.
func (c *checker) checkForeign(op *plan.Operation, verb plan.Verb, does string) {
	if op == nil || c.HasFailed(string(verb)) || c.HasFailed("create") || c.HasFailed("id") {
		return // what is not known yet may be the condition that asks
	}
	for _, s := range op.Steps {
		c.checkSweep(s, verb, does)
		maker, why := c.uncertainMaker(s)
		if maker == nil || verb == plan.Update && s.Makes && maker.Certainty != actions.Conditional {
			continue // a PUT may create the object; may-overwrite warns about it
		}
		name, remedy := maker.Model.As, "Ask here whether it has created the object"
		if name == "" {
			name, remedy = "NAME", "Name that step (`as: \"NAME\"`), and ask here whether it has created the object"
		}
		c.Warn(finding.CodeMayBeForeign, s.At, string(verb),
			fmt.Sprintf("%s %s what %s of create creates, even if that step has not run", s.Name, does, maker.Name),
			fmt.Sprintf("%s. The object may then belong to somebody else, and this step %s it. %s: `if: \"${made.%s}\"`.", why, does, remedy, name))
	}
}

// checkSweep warns about a step that removes everything in a folder, if create puts something there and keeps
// what it finds: the folder may have been there before, with files of somebody else.
func (c *checker) checkSweep(s *plan.Step, verb plan.Verb, does string) {
	at := c.placeOf(s)
	if !s.Sweeps || at == "" || s.When.RefersTo("state", "steps") {
		return // or it asks what was there
	}
	var joins *plan.Step
	var owners []*plan.Step // they are refused if the folder exists, or take all of it
	for _, m := range c.r.Create.Steps {
		place := c.placeOf(m)
		switch {
		case m.Effect != actions.Write || !m.Makes || place == "":
		case place == at && !m.Joins:
			if m.When == nil || asksWhetherMade(s, []*plan.Step{m}) {
				return
			}
			owners = append(owners, m)
		case joins == nil && (place == at || strings.HasPrefix(place, at+"/")) && !slices.ContainsFunc(owners, func(o *plan.Step) bool { return sameCondition(o, m) }):
			joins = m
		}
	}
	if joins != nil {
		c.Warn(finding.CodeMayBeForeign, s.At, string(verb), fmt.Sprintf("%s %s everything in a folder that create may have found", s.Name, does),
			fmt.Sprintf("%s of create keeps what is in the folder already, which may belong to somebody else. Let create make the folder first: "+
				"`file: mkdir: path: …` refuses one that exists. Or remove only what create has written.", joins.Name))
	}
}

// asksWhetherMade reports whether a step only runs if create has run one of these steps, which its condition names.
func asksWhetherMade(s *plan.Step, makers []*plan.Step) bool {
	return slices.ContainsFunc(makers, func(m *plan.Step) bool { return m.Model.As != "" && s.When.Requires("made", m.Model.As) })
}

// sameCondition reports whether two steps have the same condition, as written.
func sameCondition(a, b *plan.Step) bool {
	return a.Model.If != nil && b.Model.If != nil && a.Model.If.Text == b.Model.If.Text
}

// uncertainMaker returns the step of create that creates what a step affects, if the create may be
// kept although that step has not run, or was undone, and why, as a sentence without its end. It returns nil if the step asks first, or if its path is
// not made of inputs and text alone.
func (c *checker) uncertainMaker(s *plan.Step) (maker *plan.Step, why string) {
	steps, at := c.r.Create.Steps, c.placeOf(s)
	if s.Effect != actions.Write || at == "" || fromResponse().MatchString(at) || s.When.RefersTo("state", "steps") {
		return nil, ""
	}
	i := slices.IndexFunc(steps, func(m *plan.Step) bool {
		rest, inside := strings.CutPrefix(at, c.placeOf(m))
		return m.Effect == actions.Write && m.Makes && inside && (rest == "" || oneSegment().MatchString(rest))
	})
	if i < 0 || asksWhetherMade(s, steps[i:]) { // a later step runs after it
		return nil, ""
	}
	for _, before := range steps[:i] {
		place := c.placeOf(before)
		if before.Effect == actions.Write && place != "" && strings.Contains(place, "${") && strings.HasPrefix(at, place+"/") {
			return nil, "" // it is a part of what an earlier step has created
		}
		if before.Effect == actions.Write { // its undo may fail
			why = "If a create stops at that step, the resource is kept because of its earlier steps"
		}
	}
	maker = steps[i]
	if why == "" && len(maker.Undo) > 0 && slices.ContainsFunc(steps[i+1:], func(after *plan.Step) bool { return after.Effect == actions.Write }) {
		why = "If a later step fails, that step is undone, and the resource is kept if the undo of another step fails"
	}
	if why == "" {
		return nil, ""
	}
	return maker, why
}

var (
	// expression matches a template's expression and the space around it.
	expression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\s*([^{}]*?)\s*\}`) })
	// fromResponse matches an expression that refers to a response: a path with one is the
	// object's own.
	fromResponse = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\$\{[^{}]*\b(id|steps|state|each|session|result|body|headers|status)\b`)
	})
	// oneSegment matches the rest of a path that is one more segment, as written.
	oneSegment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/(\$\{[^{}]*\}|[^/$])+$`) })
)

// placeOf returns the place that a step affects, as written, or "" if it is not known. It replaces
// the id by its template, because create has inputs where delete has the id.
func (c *checker) placeOf(s *plan.Step) string {
	text := expression().ReplaceAllString(s.Place, "$${$1}")
	if id := c.r.Spec.ID; id != nil && id.Kind == spec.StringNode {
		text = strings.ReplaceAll(text, "${id}", expression().ReplaceAllString(id.Text, "$${$1}"))
	}
	return text
}
