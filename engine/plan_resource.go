package engine

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// resource is a compiled resource.
type resource struct {
	spec            *spec.Resource
	types           spec.Types
	inputs, outputs *value.Type
	naming          value.Naming
	secretNames     []string // on the wire
	id              *expr.Value
	// idInputs are the inputs that stand in the id as they are; idMixes says that more
	// goes into it than those, and that some of it is known before create's steps.
	idInputs []string
	idMixes  bool
	// idAfter is the index of the create step after which the id is taken.
	idAfter  int
	identity identification
	// unsure are the required outputs that a create which stopped halfway may
	// leave without: see compile_unsure.go.
	unsure map[string]bool
	// reliesOn reports whether an operation relies on a property: whether it would be
	// refused by vet if the recorded state could lack that.
	reliesOn func(v verb, property string) bool
	// lacks is a required property that a recorded state lacks: see incomplete.go.
	lacks string
	// foundBy are the recorded properties that tell objects of one id apart: see
	// tokens.go.
	foundBy []string

	create, read, update, delete *operation
	methods                      map[string]*function

	checks      []*check
	rules       []*diffRule
	defaults    []*derived // @default templates, in the order of their use
	upgrades    map[int]*expr.Value
	consistency *expr.Value
	list        *lister
	// find looks for what a create or update made whose response was lost; it is
	// asked before a create sends anything if findFirst.
	find      *operation
	findFirst bool
	// names are the inputs that the id is made of, or that find looks by: an update that
	// changes one may give the resource another address.
	names []string
	// conditional says that an update or delete sends the ETag of the last read.
	conditional bool
	// maker is the step of create that makes the object: the last with an effect
	// up to the one after which the id is taken; nil where create has no effect.
	maker *step
	// asking are the steps of create that ask for a file, host or program that an input
	// decides.
	asking []*step
	// sinks are the inputs that end up where a secret may not go.
	sinks []sink
}

// check is a compiled cross-field rule.
type check struct {
	assert, message *expr.Value
	property        string
}

// diffRule is a compiled rule of `diff`.
type diffRule struct {
	when    *expr.Value
	replace []string
}

// derived is an input with an @default template.
type derived struct {
	property string
	value    *expr.Value
}

// lister is a compiled `list`.
type lister struct {
	inputs          *value.Type
	step            *step
	items, id, name *expr.Value
}

// sink is a use of an input where others can read it.
type sink struct {
	path []string // from "inputs" on
	what string   // "the id", `argument "path" of file.write`
}

// finds reports whether the resource's `find` tells what became of a create's
// step: it looks for the object, and so for what made it.
func (r *resource) finds(s *step) bool { return r.find != nil && s == r.maker && s.forEach == nil }

// journals reports whether anything of the resource may stand in the journal.
func (r *resource) journals() bool {
	if r.create != nil && len(r.create.steps) > 1 && slices.ContainsFunc(r.create.steps, (*step).tells) {
		return true // see noted
	}
	in := func(op *operation) bool {
		return op != nil && slices.ContainsFunc(op.steps, func(s *step) bool {
			return s.effect == actions.Write && s.certainty != actions.Settled
		})
	}
	return in(r.create) || in(r.update)
}

// makers are the named steps of create with an effect, in the scope of an operation that
// has a state; without any, `made` is not there.
func (r *resource) makers() []expr.Name {
	t := &spec.Type{Kind: spec.Object}
	if r.create != nil {
		for _, s := range r.create.steps {
			if s.tells() {
				t.Fields = append(t.Fields, &spec.Property{Name: s.model.As, Type: &spec.Type{Kind: spec.Bool}, Required: true})
			}
		}
	}
	if t.Fields == nil {
		return nil
	}
	return []expr.Name{{Name: "made", Type: t}}
}

// sends is the step that the intent is of, nil where the spec has it no more.
func (r *resource) sends(i journal.Intent) *step {
	op := r.create
	if i.Operation == journal.Update {
		op = r.update
	}
	if op == nil || i.Step < 0 || i.Step >= len(op.steps) {
		return nil
	}
	return op.steps[i.Step]
}

// idFromAnswers reports whether the id is made of what steps are answered.
func (r *resource) idFromAnswers() bool {
	return r.id != nil && slices.ContainsFunc(r.id.Refs(), func(ref expr.Ref) bool {
		return slices.Contains(namesOfAnswers, ref.Path[0])
	})
}

// serverMaySet reports whether an input is an output, too: it is then not there
// where the program has not set it.
func (r *resource) serverMaySet(name string) bool { return r.outputs.ByName[name] != nil }

// canTell reports whether something tells what a create whose response was lost has made.
func (r *resource) canTell() bool { return r.finds(r.maker) || r.maker.certainty == actions.Keyed }

// sendsETag reports whether anything that is done to a resource asks for the ETag of
// the last read.
func (r *resource) sendsETag() bool {
	for _, m := range r.methods {
		if m.op.conditional() {
			return true
		}
	}
	return r.update.conditional() || r.delete.conditional()
}
