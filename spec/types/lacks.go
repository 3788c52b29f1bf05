package types

import "github.com/declprov/declprov/spec"

// Lookup finds the member of the struct t that is meant by the step i of a path. It returns nil
// and true if the struct lacks it, and nil and false if nobody can tell.
type Lookup func(t *spec.Type, i int) (member *spec.Property, ok bool)

// Lacking returns the first struct at a path in a type that lacks the next member of the path, and
// the number of the steps before that member; nil if none does. The path contains "*" for the items
// of a list and the values of a map. A path that the type may have in another way, such as in a
// variant of a union, does not lack anything.
func Lacking(t *spec.Type, path []string, named spec.Types, member Lookup) (lacking *spec.Type, steps int) {
	for i, step := range path {
		if t == nil {
			return nil, 0
		}
		t = Present(Resolve(t, named), named)
		switch {
		case t.Kind == spec.Object:
			p, ok := member(t, i)
			switch {
			case p != nil:
				t = p.Type
			case ok && step != "*":
				return t, i
			default:
				return nil, 0
			}
		case t.Kind == spec.List && step == "*", t.Kind == spec.Map:
			t = t.Elem
		default:
			return nil, 0
		}
	}
	return nil, 0
}

// Declared finds members by their declared names.
func Declared(path []string) Lookup {
	return func(t *spec.Type, i int) (*spec.Property, bool) { return t.Field(path[i]), !t.Open }
}
