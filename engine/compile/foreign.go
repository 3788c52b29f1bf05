package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// foreign warns of steps of update and delete that go to what a create may not have made,
// by a path that anybody's object may have: the create is kept once an earlier step of it
// was done, and a later one may be refused because somebody else has that name.
func (c *compiler) foreign(r *plan.Resource) {
	for _, op := range []struct {
		verb  plan.Verb
		steps *plan.Operation
		does  string
	}{{plan.Update, r.Update, "changes"}, {plan.Delete, r.Delete, "removes"}} {
		if op.steps == nil || r.Create == nil {
			continue
		}
		for _, s := range op.steps.Steps {
			maker := perhapsUnmade(r, s)
			if maker == nil || op.verb == plan.Update && s.Makes && maker.Certainty != actions.Conditional {
				continue // to make it is what a PUT is for, and may-overwrite warns of it
			}
			name, remedy := maker.Model.As, "Ask here whether it was made"
			if name == "" {
				name, remedy = "NAME", "Name that step (`as: \"NAME\"`), and ask here whether it made something"
			}
			c.warn(codeMayBeForeign, s.At, string(op.verb),
				fmt.Sprintf("%s %s what %s of create makes, also where that has made nothing", s.Name, op.does, maker.Name),
				fmt.Sprintf("A create that stops before that step, or is refused there because somebody else has such a thing, is kept for what it did before: this one then %s theirs. "+
					"%s: `if: \"${made.%s}\"`.", op.does, remedy, name))
		}
	}
}

// perhapsUnmade is the step of create that makes what a step goes to by a path of inputs
// and text, if the create may be kept without it; nil if the step asks first, or nobody
// can tell.
func perhapsUnmade(r *plan.Resource, s *plan.Step) *plan.Step {
	at := placeOf(r, s)
	if s.Effect != actions.Write || at == "" || answered.MatchString(at) || asks(s.When, []string{"made", "state", "steps"}) {
		return nil
	}
	i := slices.IndexFunc(r.Create.Steps, func(m *plan.Step) bool {
		rest, inside := strings.CutPrefix(at, placeOf(r, m))
		return m.Effect == actions.Write && m.Makes && inside && (rest == "" || oneSegment.MatchString(rest))
	})
	if i < 0 {
		return nil
	}
	kept := false
	for _, before := range r.Create.Steps[:i] {
		place := placeOf(r, before)
		if before.Effect == actions.Write && place != "" && strings.Contains(place, "${") && strings.HasPrefix(at, place+"/") {
			return nil // it is a part of what the create has made
		}
		kept = kept || before.Effect == actions.Write // an undo of it may fail
	}
	maker := r.Create.Steps[i]
	// One that is undone is not there while what later steps made is.
	kept = kept || len(maker.Undo) > 0 && slices.ContainsFunc(r.Create.Steps[i+1:], func(after *plan.Step) bool { return after.Effect == actions.Write })
	if !kept {
		return nil
	}
	return maker
}

var (
	// tight finds expressions, without the space around them.
	tight = regexp.MustCompile(`\$\{\s*([^{}]*?)\s*\}`)
	// answered finds what a server gave, in a path: that is the object's own.
	answered = regexp.MustCompile(`\$\{[^{}]*\b(id|steps|state|each|session|result|body|headers|status)\b`)
	// oneSegment is the rest of a path that is one more segment, as written.
	oneSegment = regexp.MustCompile(`^/(\$\{[^{}]*\}|[^/$])+$`)
)

// placeOf is where a step goes, as written, with what the id is made of for `id`: delete
// has that, where create has inputs. "" is that nobody can tell.
func placeOf(r *plan.Resource, s *plan.Step) string {
	text := tight.ReplaceAllString(s.Place, "$${$1}")
	if id := r.Spec.ID; id != nil && id.Kind == spec.StringNode {
		text = strings.ReplaceAll(text, "${id}", tight.ReplaceAllString(id.Text, "$${$1}"))
	}
	return text
}
