package spec

import (
	"github.com/declprov/declprov/spec/diag"
)

// Resource is one resource type of a provider.
type Resource struct {
	Name string `json:",omitzero"`
	Doc  string `json:",omitzero"`
	// Range is the position of the name.
	Range diag.Range `json:",omitzero"`

	// Inputs and Outputs are object types, never nil.
	Inputs, Outputs *Type `json:",omitzero"`
	// ID is the template that computes the id. Import is the template that an
	// imported id is matched against, to find the inputs. If Import is nil, ID is
	// used if it can be matched, and otherwise the imported text is the id.
	ID, Import *Node `json:",omitzero"`
	// Create is nil only if the spec is broken. The other operations are optional.
	Create, Read, Update, Delete *Operation `json:",omitzero"`
	// Kept is true if there is no Delete because the object is to stay (`delete: null`).
	Kept bool `json:",omitzero"`
	// Singleton is true if `rest` says that the object always exists: then it does after a delete, too.
	Singleton bool `json:",omitzero"`
	// Return is the default for operations that have no `return`.
	Return *Node `json:",omitzero"`
	// Let are local names, which the loader replaces by their values.
	Let *Node `json:",omitzero"`
	// Wire is the naming rule for names on the wire: snake_case, kebab-case,
	// camelCase, PascalCase, or "" for the declared names.
	Wire string `json:",omitzero"`

	Checks      []*Check `json:",omitzero"`
	Diff        *Diff    `json:",omitzero"`
	Consistency *Node    `json:",omitzero"`
	// Find looks for the object of a create whose outcome is unknown.
	Find *Operation `json:",omitzero"`
	// Unsought is true if there is no Find because a create is to look for nothing (`find: null`).
	Unsought bool `json:",omitzero"`

	List *Lister `json:",omitzero"`

	// Aliases are former names or type tokens of the resource.
	Aliases    []*Node `json:",omitzero"`
	Deprecated string  `json:",omitzero"`
	// SchemaVersion is the version of the state's schema, from 0. Upgrade maps a
	// version N to the template that converts a state of version N to version N+1.
	SchemaVersion int           `json:",omitzero"`
	Upgrade       map[int]*Node `json:",omitzero"`

	Methods []*Function `json:",omitzero"`

	// Examples show in documentation what programs pass to the resource.
	Examples []*Example `json:",omitzero"`
}

// Example is a use of a resource that documentation shows.
type Example struct {
	Title string `json:",omitzero"`
	Doc   string `json:",omitzero"`
	// Range is the position of the title.
	Range diag.Range `json:",omitzero"`
	// Inputs is a struct of values, without templates. An
	// asset or archive among the inputs is its path.
	Inputs *Node `json:",omitzero"`
}

// Check is a validation rule over several inputs.
type Check struct {
	Assert, Message, Property *Node      `json:",omitzero"`
	Range                     diag.Range `json:",omitzero"`
}

// Diff customizes the effect of changed inputs.
type Diff struct {
	DeleteBeforeReplace bool        `json:",omitzero"`
	Rules               []*DiffRule `json:",omitzero"`
}

// DiffRule replaces the resource if one of the Replace inputs has changed and If is
// true. If may refer to inputs (the new ones), state and changes.
type DiffRule struct {
	If      *Node      `json:",omitzero"`
	Replace []*Node    `json:",omitzero"`
	Range   diag.Range `json:",omitzero"`
}

// Lister describes how the existing resources of a type are listed.
type Lister struct {
	Inputs          *Type      `json:",omitzero"`
	Step            *Step      `json:",omitzero"`
	Items, ID, Name *Node      `json:",omitzero"`
	Let             *Node      `json:",omitzero"`
	Range           diag.Range `json:",omitzero"`
}

// Function is an operation with its own inputs and outputs: a function of the
// provider, a method of a resource, or an action that is run on demand.
type Function struct {
	Name            string     `json:",omitzero"`
	Doc             string     `json:",omitzero"`
	Range           diag.Range `json:",omitzero"`
	Inputs, Outputs *Type      `json:",omitzero"`
	// Operation is nil for a pure function, which only has a Return.
	Operation *Operation `json:",omitzero"`
	Return    *Node      `json:",omitzero"`
	// Let are local names, which the loader replaces by their values.
	Let *Node `json:",omitzero"`
}

// Component is a resource that consists of other resources.
type Component struct {
	Name            string     `json:",omitzero"`
	Doc             string     `json:",omitzero"`
	Range           diag.Range `json:",omitzero"`
	Inputs, Outputs *Type      `json:",omitzero"`
	Children        []*Child   `json:",omitzero"`
	Return          *Node      `json:",omitzero"`
}

// Child is one resource of a component, or one resource per element of ForEach.
type Child struct {
	Key string `json:",omitzero"`
	// Range is the position of the key.
	Range diag.Range `json:",omitzero"`
	// Type is the name of a resource or component of this spec, or a type token of
	// another package.
	Type *Node `json:",omitzero"`
	// Inputs is a struct of templates, or one template that evaluates to a struct.
	If, ForEach, Inputs *Node `json:",omitzero"`
	// Options is a struct of the options that are set, or nil.
	Options *Node `json:",omitzero"`
}

// Operation is the implementation of one verb of a resource.
type Operation struct {
	Steps []*Step `json:",omitzero"`
	// Listed reports that the author wrote `steps: […]`.
	Listed bool `json:",omitzero"`
	// Return is the result of the operation, or nil.
	Return *Node `json:",omitzero"`
	// Retry repeats a whole list of steps; nil does not.
	Retry *Node `json:",omitzero"`
	// Lock is the lock that is held for a whole list of steps, or nil.
	Lock *Node `json:",omitzero"`
	// NotFirst, for a `find`, means that it does not run before a create sends its
	// first request.
	NotFirst bool `json:",omitzero"`
	// Let are local names, which the loader replaces by their values.
	Let *Node `json:",omitzero"`
	// Rest means that the operation comes from the shorthand `rest`.
	Rest  bool       `json:",omitzero"`
	Range diag.Range `json:",omitzero"`
}

// Step is one action with its conditions, retries and limits.
type Step struct {
	As string `json:",omitzero"`
	// AsRange is the position of that name.
	AsRange                    diag.Range `json:",omitzero"`
	If, ForEach                *Node      `json:",omitzero"`
	Until, Every, Timeout      *Node      `json:",omitzero"`
	Retry                      *Node      `json:",omitzero"`
	Fail, Progress, Gone, Lock *Node      `json:",omitzero"`
	// Refused evaluates to a string if the action had no effect. If it is nil or
	// evaluates to null, the action may have had an effect.
	Refused *Node `json:",omitzero"`
	// Restart names the earlier step at which the next run resumes if a run stopped
	// at this step; "" means this step.
	Restart      string     `json:",omitzero"`
	RestartRange diag.Range `json:",omitzero"`
	Preview      bool       `json:",omitzero"`
	// PreviewRange is the position of `preview`.
	PreviewRange diag.Range `json:",omitzero"`
	OnFailure    []*Step    `json:",omitzero"`
	// Actions are the keys that are not keys of a step. A correct spec has exactly
	// one, which names a family of actions. Only the compiler knows which families
	// exist.
	Actions []Field    `json:",omitzero"`
	Range   diag.Range `json:",omitzero"`
}

// Ephemeral is a value that is opened, optionally renewed, and closed, and is never
// stored.
type Ephemeral struct {
	Name               string     `json:",omitzero"`
	Doc                string     `json:",omitzero"`
	Range              diag.Range `json:",omitzero"`
	Inputs, Outputs    *Type      `json:",omitzero"`
	Open, Renew, Close *Operation `json:",omitzero"`
	RenewAfter         *Node      `json:",omitzero"`
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
