package plan

import "slices"

// identification is what a resource's `id` and `import` say of each other.
type identification struct {
	// ID is the id's template, where it can be read backwards.
	ID Reversible
	// Imports is how the text of an import is read; it is the id's own template,
	// unless the spec has an `import`. Not given, the text is the id.
	Imports Reversible
	// Known says that an import's text tells the id: it is in it, or made of it.
	Known bool
	// Follows says that the id can be made anew of what a read sees; Answered,
	// that the response of a step is a part of it. OfInputs are the inputs that are.
	Follows, Answered bool
	OfInputs          []string
}

// ByID are the inputs that the id says, on import and ever after: a read need not
// give them.
func (i identification) ByID(name string) bool {
	return slices.Contains(i.Imports.inputs(), name) || slices.Contains(i.ID.inputs(), name)
}

// Inputs are the inputs that every import gives.
func (i identification) Inputs() map[string]bool {
	out := map[string]bool{}
	for _, name := range i.Imports.inputs() {
		out[name] = true
	}
	if i.Imports.HasID() {
		for _, name := range i.ID.inputs() {
			out[name] = true
		}
	}
	return out
}
