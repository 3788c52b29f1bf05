package plan

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// Resource is a compiled resource.
type Resource struct {
	Spec            *spec.Resource
	Types           spec.Types
	Inputs, Outputs *value.Type
	Naming          value.Naming
	SecretNames     []string // names on the wire
	ID              *expr.Value
	// IDInputs are the inputs that the id contains unchanged. IDMixes is true if the id
	// also depends on something else that is known before the steps of create run.
	IDInputs []string
	IDMixes  bool
	// IDAfter is the index of the create step after which the id is evaluated.
	IDAfter  int
	Identity identification
	// Unsure are the required outputs that may be missing after a create that stopped
	// halfway; see engine/compile/unsure_outputs.go.
	Unsure map[string]bool
	// ReliesOn reports whether an operation relies on a property: whether vet would
	// reject the operation if the recorded state could lack that property.
	ReliesOn func(v Verb, property string) bool
	// Lacks is a required property that a recorded state is assumed to lack; see
	// requires in engine/compile/unsure_outputs.go.
	Lacks string
	// FoundBy are the recorded properties that distinguish objects with the same id; see
	// engine/run/recorded/tokens.go.
	FoundBy []string
	// KnowsObjects is true if FoundBy tells objects with the same id apart for certain. It does not if
	// an operation refers to all recorded properties, or if nothing reads or deletes the object.
	KnowsObjects bool

	Create, Read, Update, Delete *Operation
	Methods                      map[string]*Function

	Checks      []*Check
	Rules       []*DiffRule
	Defaults    []*Derived // @default templates, in the order of evaluation
	Upgrades    map[int]*expr.Value
	Consistency *expr.Value
	List        *Lister
	// Find looks for the object of a create or update whose response was lost. If
	// FindFirst is true, it also runs before a create sends anything.
	Find      *Operation
	FindFirst bool
	// SoughtBy are the inputs that Find uses: if they stay, it finds the same object.
	SoughtBy []string
	// Names are the inputs that the id contains or that Find uses. An update that
	// changes one of them may change the address of the object.
	Names []string
	// LocatedBy are the settings that say where the object of an id is, as dotted paths; see engine/compile/location.go.
	LocatedBy []string
	// Conditional is true if an update or delete sends the ETag of the last read.
	Conditional bool
	// Maker is the create step that creates the object: the last step with an effect, up
	// to the one after which the id is evaluated. It is nil if create has no effect.
	Maker *Step
	// Unproven is true if the program chooses the id of an object whose address the service gives: only
	// a read tells whether the object is found by that id.
	Unproven bool
	// Asking are the create steps that request a file, host or program that depends on
	// an input.
	Asking []*Step
	// Sinks are uses of inputs at places where secrets are not allowed.
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

// Sink is a use of an input at a place where others can read it.
type Sink struct {
	Path []string // from "inputs" on
	What string   // "the id", `argument "path" of file.write`
}

// FormerNames returns the former names and type tokens of the resource.
func (r *Resource) FormerNames() []string {
	return lists.Map(r.Spec.Aliases, func(n *spec.Node) string { return n.Text })
}

// Finds reports whether the resource's `find` shows whether a create step took
// effect. It does for the step that creates the object.
func (r *Resource) Finds(s *Step) bool { return r.Find != nil && s == r.Maker && s.ForEach == nil }

// MayRunTwice reports whether the next run repeats a step of create whose response was lost, although that may make
// a second object. A step that only changes the object that another one has made is taken for one that may be
// repeated.
func (r *Resource) MayRunTwice(s *Step) bool {
	return s.Certainty == actions.Uncertain && !r.Finds(s) && (s == r.Maker || !s.OnlyChanges())
}

// Journals reports whether the journal may contain intents of the resource.
func (r *Resource) Journals() bool {
	if r.Create != nil && len(r.Create.Steps) > 1 && slices.ContainsFunc(r.Create.Steps, (*Step).IsInMade) {
		return true // see withUnmadeIntent in package run
	}
	return r.Create.FirstUnsettled() != nil || r.Update.FirstUnsettled() != nil
}

// MadeNames returns the name `made` with its type for the scope of operations with a
// state, or nothing if create has no named step with an effect.
func (r *Resource) MadeNames() []expr.Name {
	t := &spec.Type{Kind: spec.Object}
	if r.Create != nil {
		for _, s := range r.Create.Steps {
			if s.IsInMade() {
				t.Fields = append(t.Fields, &spec.Property{Name: s.Model.As, Type: &spec.Type{Kind: spec.Bool}, Required: true})
			}
		}
	}
	if t.Fields == nil {
		return nil
	}
	return []expr.Name{{Name: "made", Type: t}}
}

// IDUses reports whether the id refers to the response of a step of create, as the last one or by its name.
func (r *Resource) IDUses(s *Step) bool {
	return r.ID.RefersTo(AnswerNames...) || slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
		return len(ref.Path) > 1 && ref.Path[0] == "steps" && ref.Path[1] == s.Model.As
	})
}

// IDHasOnlySought reports whether the id consists of inputs that Find uses, and of what it finds, so that it is the
// id of what is found. Other inputs say nothing about that.
func (r *Resource) IDHasOnlySought() bool {
	return !slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
		return ref.Path[0] == "inputs" && (len(ref.Path) < 2 || !slices.Contains(r.SoughtBy, ref.Path[1]))
	})
}

// Unsought returns the inputs by which Find does not look, none if it looks by none at all.
func (r *Resource) Unsought() (names []string) {
	for _, m := range r.Inputs.Fields {
		if len(r.SoughtBy) > 0 && !slices.Contains(r.SoughtBy, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// IDFromResponses reports whether the id depends on the response of a step.
func (r *Resource) IDFromResponses() bool { return r.ID.RefersTo(NamesOfResponses...) }

// ServerMaySet reports whether an input is also an output. Such an input may be
// absent unless the program sets it.
func (r *Resource) ServerMaySet(name string) bool { return r.Outputs.ByName[name] != nil }

// CanTell reports whether it can be found out what a create has made if its response
// was lost.
func (r *Resource) CanTell() bool { return r.Finds(r.Maker) || r.Maker.Certainty == actions.Keyed }

// SendsETag reports whether an update, delete or method sends the ETag of the last
// read.
func (r *Resource) SendsETag() bool {
	for _, m := range r.Methods {
		if isConditional(m.Operation) {
			return true
		}
	}
	return isConditional(r.Update) || isConditional(r.Delete)
}
