package spec

import (
	"github.com/declprov/declprov/spec/diag"
)

// Resource is one type of thing that a provider manages.
type Resource struct {
	Name string
	Doc  string
	// Range is where the name stands.
	Range diag.Range

	// Inputs and Outputs are object types, never nil.
	Inputs, Outputs *Type
	// ID is the template that gives the id; Import the one that is read
	// backwards on import (nil: the id itself).
	ID, Import *Node
	// Create is nil only where the spec is broken; the others are optional.
	Create, Read, Update, Delete *Operation
	// Return is what operations without a `return` of their own yield.
	Return *Node
	// Wire is the case rule of names on the wire: snake_case, kebab-case,
	// camelCase, PascalCase, or "".
	Wire string

	Checks      []*Check
	Diff        *Diff
	Consistency *Node
	// Find looks for what a create of unknown outcome left.
	Find *Operation
	List *Lister

	// Aliases are names, or type tokens, that the resource had before.
	Aliases    []*Node
	Deprecated string
	// SchemaVersion is the version of the state's shape, from 0; Upgrade has
	// the template that brings a state from version N to N+1.
	SchemaVersion int
	Upgrade       map[int]*Node

	Methods []*Function
}

// Check is a rule over several inputs.
type Check struct {
	Assert, Message, Property *Node
	Range                     diag.Range
}

// Diff adjusts what a change of inputs does.
type Diff struct {
	DeleteBeforeReplace bool
	Rules               []*DiffRule
}

// DiffRule makes changes of the named inputs replace the resource where If is
// true; If may refer to inputs (the new ones), state and changes.
type DiffRule struct {
	If      *Node
	Replace []*Node
	Range   diag.Range
}

// Lister is how the existing resources of a type are listed.
type Lister struct {
	Inputs          *Type
	Step            *Step
	Items, ID, Name *Node
	Range           diag.Range
}

// Function is an operation with inputs and outputs of its own: a function of
// the provider, a method of a resource, an action run on demand.
type Function struct {
	Name            string
	Doc             string
	Range           diag.Range
	Inputs, Outputs *Type
	// Operation is nil for a pure function, which has only a Return.
	Operation *Operation
	Return    *Node
}

// Component is a resource made of others.
type Component struct {
	Name            string
	Doc             string
	Range           diag.Range
	Inputs, Outputs *Type
	Children        []*Child
	Return          *Node
}

// Child is one resource of a component, or one for each element of ForEach.
type Child struct {
	Key string
	// Range is where the key stands.
	Range diag.Range
	// Type is the name of a resource or component of this spec, or a token of
	// another package's.
	Type *Node
	// Inputs is a struct of templates, or a template that gives one.
	If, ForEach, Inputs *Node
	// Options is a struct of the options that are given, or nil.
	Options *Node `json:"option"`
}

// Operation is what one verb of a resource does.
type Operation struct {
	Steps []*Step
	// Listed says that they were written as `steps: […]`.
	Listed bool
	// Return is what the operation yields, or nil.
	Return *Node
	// Retry is that of a list of steps: they are all run again; nil is never.
	Retry *Node
	// NotFirst says of a `find` that it is not asked before a create sends
	// anything.
	NotFirst bool
	Range    diag.Range
}

// Step is one action and what is said around it; LANGUAGE.md section 4.
type Step struct {
	As string
	// AsRange is where that name stands.
	AsRange                    diag.Range
	If, ForEach                *Node
	Until, Every, Timeout      *Node
	Retry                      *Node
	Fail, Progress, Gone, Lock *Node
	// Refused is text if the action did nothing; null, or no Refused, if it may
	// have done something.
	Refused *Node
	// Restart names the earlier step from which a run goes on that stopped at
	// this one; "" is this step itself.
	Restart      string
	RestartRange diag.Range
	Preview      bool
	// PreviewRange is where `preview` stands.
	PreviewRange diag.Range
	OnFailure    []*Step
	// Actions are the keys that are not a step's own: exactly one, if the
	// spec is right, named after a family of actions. Which families there are
	// is the compiler's to know.
	Actions []Field
	Range   diag.Range
}

// Ephemeral is a value that is opened, perhaps renewed, and closed, and never
// stored.
type Ephemeral struct {
	Name               string
	Doc                string
	Range              diag.Range
	Inputs, Outputs    *Type
	Open, Renew, Close *Operation
	RenewAfter         *Node
}

// Opener is the function that stands for an ephemeral where a host has none: it
// opens one, and all that it yields is secret.
func (e *Ephemeral) Opener() *Function {
	outputs := *e.Outputs
	outputs.Fields = make([]*Property, len(e.Outputs.Fields))
	for i, p := range e.Outputs.Fields {
		hidden := *p
		hidden.Secret = true
		outputs.Fields[i] = &hidden
	}
	return &Function{
		Name: "open" + e.Name, Doc: e.Doc, Range: e.Range, Inputs: e.Inputs, Outputs: &outputs, Operation: e.Open,
	}
}
