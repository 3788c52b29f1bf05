package plan

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Resource is a compiled resource.
type Resource struct {
	Spec            *spec.Resource
	Types           spec.Types
	Inputs, Outputs *value.Type
	Naming          value.Naming
	SecretNames     []string // on the wire
	ID              *expr.Value
	// IDInputs are the inputs that stand in the id as they are; idMixes says that more
	// goes into it than those, and that some of it is known before create's steps.
	IDInputs []string
	IDMixes  bool
	// IDAfter is the index of the create step after which the id is taken.
	IDAfter  int
	Identity identification
	// Unsure are the required outputs that a create which stopped halfway may
	// leave without: see engine/compile/unsure.go.
	Unsure map[string]bool
	// ReliesOn reports whether an operation relies on a property: whether it would be
	// refused by vet if the recorded state could lack that.
	ReliesOn func(v Verb, property string) bool
	// Lacks is a required property that a recorded state lacks: see engine/incomplete.go.
	Lacks string
	// FoundBy are the recorded properties that tell objects of one id apart: see
	// tokens.go.
	FoundBy []string

	Create, Read, Update, Delete *Operation
	Methods                      map[string]*Function

	Checks      []*Check
	Rules       []*DiffRule
	Defaults    []*Derived // @default templates, in the order of their use
	Upgrades    map[int]*expr.Value
	Consistency *expr.Value
	List        *Lister
	// Find looks for what a create or update made whose response was lost; it is
	// asked before a create sends anything if findFirst.
	Find      *Operation
	FindFirst bool
	// Names are the inputs that the id is made of, or that find looks by: an update that
	// changes one may give the resource another address.
	Names []string
	// Conditional says that an update or delete sends the ETag of the last read.
	Conditional bool
	// Maker is the step of create that makes the object: the last with an effect
	// up to the one after which the id is taken; nil where create has no effect.
	Maker *Step
	// Asking are the steps of create that ask for a file, host or program that an input
	// decides.
	Asking []*Step
	// Sinks are the inputs that end up where a secret may not go.
	Sinks []Sink
}

// Check is a compiled cross-field rule.
type Check struct {
	Assert, Message *expr.Value
	Property        string
}

// DiffRule is a compiled rule of `diff`.
type DiffRule struct {
	When    *expr.Value
	Replace []string
}

// Derived is an input with an @default template.
type Derived struct {
	Property string
	Value    *expr.Value
}

// Lister is a compiled `list`.
type Lister struct {
	Inputs          *value.Type
	Step            *Step
	Items, ID, Name *expr.Value
}

// Sink is a use of an input where others can read it.
type Sink struct {
	Path []string // from "inputs" on
	What string   // "the id", `argument "path" of file.write`
}

// Finds reports whether the resource's `find` tells what became of a create's
// step: it looks for the object, and so for what made it.
func (r *Resource) Finds(s *Step) bool { return r.Find != nil && s == r.Maker && s.ForEach == nil }

// Journals reports whether anything of the resource may stand in the journal.
func (r *Resource) Journals() bool {
	if r.Create != nil && len(r.Create.Steps) > 1 && slices.ContainsFunc(r.Create.Steps, (*Step).Tells) {
		return true // see noted
	}
	in := func(op *Operation) bool {
		return op != nil && slices.ContainsFunc(op.Steps, func(s *Step) bool {
			return s.Effect == actions.Write && s.Certainty != actions.Settled
		})
	}
	return in(r.Create) || in(r.Update)
}

// Makers are the named steps of create with an effect, in the scope of an operation that
// has a state; without any, `made` is not there.
func (r *Resource) Makers() []expr.Name {
	t := &spec.Type{Kind: spec.Object}
	if r.Create != nil {
		for _, s := range r.Create.Steps {
			if s.Tells() {
				t.Fields = append(t.Fields, &spec.Property{Name: s.Model.As, Type: &spec.Type{Kind: spec.Bool}, Required: true})
			}
		}
	}
	if t.Fields == nil {
		return nil
	}
	return []expr.Name{{Name: "made", Type: t}}
}

// IDFromAnswers reports whether the id is made of what steps are answered.
func (r *Resource) IDFromAnswers() bool {
	return r.ID != nil && slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
		return slices.Contains(NamesOfAnswers, ref.Path[0])
	})
}

// ServerMaySet reports whether an input is an output, too: it is then not there
// where the program has not set it.
func (r *Resource) ServerMaySet(name string) bool { return r.Outputs.ByName[name] != nil }

// CanTell reports whether something tells what a create whose response was lost has made.
func (r *Resource) CanTell() bool { return r.Finds(r.Maker) || r.Maker.Certainty == actions.Keyed }

// SendsETag reports whether anything that is done to a resource asks for the ETag of
// the last read.
func (r *Resource) SendsETag() bool {
	for _, m := range r.Methods {
		if m.Operation.conditional() {
			return true
		}
	}
	return r.Update.conditional() || r.Delete.conditional()
}
