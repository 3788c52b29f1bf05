package engine

import (
	"slices"

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

// operation is a compiled operation.
type operation struct {
	steps []*step
	// retry runs all of the steps again when one is refused; nil is never.
	retry *retry
	// ret is the `return` of the operation, else of the resource; nil where the
	// last step's own result stands.
	ret *expr.Value
	// broken says that there is a `return` and that it did not compile; meant are
	// the properties that misspelt ones in it were for. Both were reported.
	broken bool
	meant  []string
}

// stepless reports whether the operation has no step. The loader reported why;
// nothing is known of what such an operation yields.
func (o *operation) stepless() bool { return len(o.steps) == 0 }

// meansTo reports whether a property is in the operation's `return`, misspelt.
func (o *operation) meansTo(property string) bool {
	return o != nil && slices.Contains(o.meant, property)
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
