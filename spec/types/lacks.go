package types

import "github.com/declprov/declprov/spec"

// Lacks reports whether the struct at a path in a type does not have the last member of the path,
// and returns the members that it has. The path contains "*" for the items of a list and the
// values of a map. A path that the type may have in another way, such as in a variant of a union,
// does not lack anything.
func Lacks(t *spec.Type, path []string, named spec.Types) (known []string, lacks bool) {
	for i, step := range path {
		if t == nil {
			return nil, false
		}
		t = Present(Resolve(t, named), named)
		member := t.Field(step)
		switch {
		case t.Kind == spec.Object && member != nil:
			t = member.Type
		case t.Kind == spec.Object && !t.Open && step != "*" && i == len(path)-1:
			return t.FieldNames(), true
		case t.Kind == spec.List && step == "*", t.Kind == spec.Map:
			t = t.Elem
		default:
			return nil, false
		}
	}
	return nil, false
}
