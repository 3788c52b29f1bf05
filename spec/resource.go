package spec

import (
	"github.com/declprov/declprov/spec/diag"
)

// Resource is one resource type of a provider.
type Resource struct {
	Name string
	Doc  string
	// Range is the position of the name.
	Range diag.Range

	// Inputs and Outputs are object types, never nil.
	Inputs, Outputs *Type
	// ID is the template that computes the id. Import is the template that an
	// imported id is matched against, to find the inputs. If Import is nil, ID is
	// used if it can be matched, and otherwise the imported text is the id.
	ID, Import *Node
	// Create is nil only if the spec is broken. The other operations are optional.
	Create, Read, Update, Delete *Operation
	// Return is the default for operations that have no `return`.
	Return *Node
	// Wire is the naming rule for names on the wire: snake_case, kebab-case,
	// camelCase, PascalCase, or "" for the declared names.
	Wire string

	Checks      []*Check
	Diff        *Diff
	Consistency *Node
	// Find looks for the object of a create whose outcome is unknown.
	Find *Operation
	List *Lister

	// Aliases are former names or type tokens of the resource.
	Aliases    []*Node
	Deprecated string
	// SchemaVersion is the version of the state's schema, from 0. Upgrade maps a
	// version N to the template that converts a state of version N to version N+1.
	SchemaVersion int
	Upgrade       map[int]*Node

	Methods []*Function
}

// Check is a validation rule over several inputs.
type Check struct {
	Assert, Message, Property *Node
	Range                     diag.Range
}

// Diff customizes the effect of changed inputs.
type Diff struct {
	DeleteBeforeReplace bool
	Rules               []*DiffRule
}

// DiffRule replaces the resource if one of the Replace inputs has changed and If is
// true. If may refer to inputs (the new ones), state and changes.
type DiffRule struct {
	If      *Node
	Replace []*Node
	Range   diag.Range
}

// Lister describes how the existing resources of a type are listed.
type Lister struct {
	Inputs          *Type
	Step            *Step
	Items, ID, Name *Node
	Range           diag.Range
}

// Function is an operation with its own inputs and outputs: a function of the
// provider, a method of a resource, or an action that is run on demand.
type Function struct {
	Name            string
	Doc             string
	Range           diag.Range
	Inputs, Outputs *Type
	// Operation is nil for a pure function, which only has a Return.
	Operation *Operation
	Return    *Node
}

// Component is a resource that consists of other resources.
type Component struct {
	Name            string
	Doc             string
	Range           diag.Range
	Inputs, Outputs *Type
	Children        []*Child
	Return          *Node
}

// Child is one resource of a component, or one resource per element of ForEach.
type Child struct {
	Key string
	// Range is the position of the key.
	Range diag.Range
	// Type is the name of a resource or component of this spec, or a type token of
	// another package.
	Type *Node
	// Inputs is a struct of templates, or one template that evaluates to a struct.
	If, ForEach, Inputs *Node
	// Options is a struct of the options that are set, or nil.
	Options *Node `json:"option"`
}

// Operation is the implementation of one verb of a resource.
type Operation struct {
	Steps []*Step
	// Listed reports that the author wrote `steps: […]`.
	Listed bool
	// Return is the result of the operation, or nil.
	Return *Node
	// Retry repeats a whole list of steps; nil does not.
	Retry *Node
	// NotFirst, for a `find`, means that it does not run before a create sends its
	// first request.
	NotFirst bool
	Range    diag.Range
}

// Step is one action with its conditions, retries and limits.
type Step struct {
	As string
	// AsRange is the position of that name.
	AsRange                    diag.Range
	If, ForEach                *Node
	Until, Every, Timeout      *Node
	Retry                      *Node
	Fail, Progress, Gone, Lock *Node
	// Refused evaluates to a string if the action had no effect. If it is nil or
	// evaluates to null, the action may have had an effect.
	Refused *Node
	// Restart names the earlier step at which the next run resumes if a run stopped
	// at this step; "" means this step.
	Restart      string
	RestartRange diag.Range
	Preview      bool
	// PreviewRange is the position of `preview`.
	PreviewRange diag.Range
	OnFailure    []*Step
	// Actions are the keys that are not keys of a step. A correct spec has exactly
	// one, which names a family of actions. Only the compiler knows which families
	// exist.
	Actions []Field
	Range   diag.Range
}

// Ephemeral is a value that is opened, optionally renewed, and closed, and is never
// stored.
type Ephemeral struct {
	Name               string
	Doc                string
	Range              diag.Range
	Inputs, Outputs    *Type
	Open, Renew, Close *Operation
	RenewAfter         *Node
}

// Opener returns the function that replaces an ephemeral on hosts without ephemerals.
// It opens the value, and all its outputs are secret.
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
