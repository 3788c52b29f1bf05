package plan

import "slices"

// identification relates a resource's `id` and `import` to each other.
type identification struct {
	// ID is the template of the id, if it is reversible.
	ID Reversible
	// Imports is the template by which the text of an import is parsed: that of
	// `import`, or else that of the id. If it is not set, the text is the id.
	Imports Reversible
	// Known is true if the text of an import determines the id.
	Known bool
	// Follows is true if the id can be evaluated again from the result of a read.
	// Answered is true if the id refers to the response of a step. OfInputs are the
	// inputs to which the id refers.
	Follows, Answered bool
	OfInputs          []string
	// Addressing are the inputs by which the id, read and delete name the object.
	Addressing []string
}

// Addresses reports whether an input is part of what names the object. If a read lacks it, that says nothing about it: the
// next request would name another object.
func (i identification) Addresses(name string) bool {
	return i.Determines(name) || slices.Contains(i.Addressing, name)
}

// Determines reports whether the id or the text of an import determines an input. A
// read need not return such an input.
func (i identification) Determines(name string) bool {
	return slices.Contains(i.Imports.inputs(), name) || slices.Contains(i.ID.inputs(), name)
}

// Inputs returns the inputs that every import determines.
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

// AddressInputs returns the inputs by which a create, and the later requests for its object, name it. known is false if other values do, too.
func AddressInputs(r *Resource) (names []string, known bool) {
	names = slices.Clone(r.Identity.Addressing)
	for _, ref := range slices.Concat(r.ID.Refs(), ExposedRefs(r.Maker)) {
		switch {
		case ref.Path[0] == "config" || ref.Path[0] == "session":
		case ref.Path[0] != "inputs" || len(ref.Path) < 2:
			return nil, false
		default:
			names = append(names, ref.Path[1])
		}
	}
	return names, true
}
