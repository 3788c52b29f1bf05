package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// foreign warns of steps of update and delete that go to what a create may not have made,
// by a path that anybody's object may have: the create is kept once an earlier step of it
// was done, and a later one may be refused because somebody else has that name.
func (c *compiler) foreign(r *resource) {
	for _, op := range []struct {
		verb  verb
		steps *operation
		does  string
	}{{update, r.update, "changes"}, {remove, r.delete, "removes"}} {
		if op.steps == nil || r.create == nil {
			continue
		}
		for _, s := range op.steps.steps {
			maker := perhapsUnmade(r, s)
			if maker == nil || op.verb == update && s.makes && maker.certainty != actions.Conditional {
				continue // to make it is what a PUT is for, and may-overwrite warns of it
			}
			name, remedy := maker.model.As, "Ask here whether it was made"
			if name == "" {
				name, remedy = "NAME", "Name that step (`as: \"NAME\"`), and ask here whether it made something"
			}
			c.warn(codeMayBeForeign, s.at, string(op.verb),
				fmt.Sprintf("%s %s what %s of create makes, also where that has made nothing", s.name, op.does, maker.name),
				fmt.Sprintf("A create that stops before that step, or is refused there because somebody else has such a thing, is kept for what it did before: this one then %s theirs. "+
					"%s: `if: \"${made.%s}\"`.", op.does, remedy, name))
		}
	}
}

// perhapsUnmade is the step of create that makes what a step goes to by a path of inputs
// and text, if the create may be kept without it; nil if the step asks first, or nobody
// can tell.
func perhapsUnmade(r *resource, s *step) *step {
	at := placeOf(r, s)
	if s.effect != actions.Write || at == "" || answered.MatchString(at) || asks(s.when, []string{"made", "state", "steps"}) {
		return nil
	}
	i := slices.IndexFunc(r.create.steps, func(m *step) bool {
		rest, inside := strings.CutPrefix(at, placeOf(r, m))
		return m.effect == actions.Write && m.makes && inside && (rest == "" || oneSegment.MatchString(rest))
	})
	if i < 0 {
		return nil
	}
	kept := false
	for _, before := range r.create.steps[:i] {
		place := placeOf(r, before)
		if before.effect == actions.Write && place != "" && strings.Contains(place, "${") && strings.HasPrefix(at, place+"/") {
			return nil // it is a part of what the create has made
		}
		kept = kept || before.effect == actions.Write // an undo of it may fail
	}
	maker := r.create.steps[i]
	// One that is undone is not there while what later steps made is.
	kept = kept || len(maker.undo) > 0 && slices.ContainsFunc(r.create.steps[i+1:], func(after *step) bool { return after.effect == actions.Write })
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
func placeOf(r *resource, s *step) string {
	text := tight.ReplaceAllString(s.place, "$${$1}")
	if id := r.spec.ID; id != nil && id.Kind == spec.StringNode {
		text = strings.ReplaceAll(text, "${id}", tight.ReplaceAllString(id.Text, "$${$1}"))
	}
	return text
}
