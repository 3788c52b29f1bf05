package types

import "github.com/declprov/declprov/spec"

// Composite returns what a type is ("a map", "a struct", "a list of which each item is a map") if none of its values, except null, is a
// scalar or a list of scalars, or else "". In a form or query, such values require names for what is in them.
func Composite(t *spec.Type, named spec.Types) string { return compositeWithin(t, named, 0) }

func compositeWithin(t *spec.Type, named spec.Types, depth int) string {
	const deepest = 10 // of lists that contain themselves
	if depth > deepest {
		return ""
	}
	switch t = Resolve(t, named); t.Kind {
	case spec.Map:
		return "a map"
	case spec.Object:
		return "a struct"
	case spec.List:
		elem := Resolve(Elem(t), named)
		if elem.Kind == spec.List {
			return "a list of lists"
		}
		if inner := compositeWithin(elem, named, depth+1); inner != "" {
			return "a list of which each item is " + inner
		}
	case spec.Union:
		kind := ""
		for _, v := range t.Variants {
			if IsNull(v) {
				continue
			}
			if kind = compositeWithin(v, named, depth+1); kind == "" {
				return ""
			}
		}
		return kind
	}
	return ""
}
