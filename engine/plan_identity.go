package engine

import "slices"

// identification is what a resource's `id` and `import` say of each other.
type identification struct {
	// id is the id's template, where it can be read backwards.
	id reversible
	// imports is how the text of an import is read; it is the id's own template,
	// unless the spec has an `import`. Not given, the text is the id.
	imports reversible
	// known says that an import's text tells the id: it is in it, or made of it.
	known bool
	// follows says that the id can be made anew of what a read sees; answered,
	// that the response of a step is a part of it. ofInputs are the inputs that are.
	follows, answered bool
	ofInputs          []string
}

// byID are the inputs that the id says, on import and ever after: a read need not
// give them.
func (i identification) byID(name string) bool {
	return slices.Contains(i.imports.inputs(), name) || slices.Contains(i.id.inputs(), name)
}

// inputs are the inputs that every import gives.
func (i identification) inputs() map[string]bool {
	out := map[string]bool{}
	for _, name := range i.imports.inputs() {
		out[name] = true
	}
	if i.imports.hasID() {
		for _, name := range i.id.inputs() {
			out[name] = true
		}
	}
	return out
}
