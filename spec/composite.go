package spec

// Composite returns what a type is ("a map", "a struct", "a list of which each item is a map") if none of its values, except null, is a
// scalar or a list of scalars, or else "". In a form or query, such values require names for what is in them.
func (ts Types) Composite(t *Type) string { return ts.compositeWithin(t, 0) }

func (ts Types) compositeWithin(t *Type, depth int) string {
	const deepest = 10 // of lists that contain themselves
	if depth > deepest {
		return ""
	}
	switch t = ts.Resolve(t); t.Kind {
	case Map:
		return "a map"
	case Object:
		return "a struct"
	case List:
		if ts.Resolve(t.Elem).Kind == List {
			return "a list of lists"
		}
		if inner := ts.compositeWithin(t.Elem, depth+1); inner != "" {
			return "a list of which each item is " + inner
		}
	case Union:
		kind := ""
		for _, v := range t.Variants {
			if v.Kind == Union && v.Ref == "" && len(v.Variants) == 0 {
				continue // null
			}
			if kind = ts.compositeWithin(v, depth+1); kind == "" {
				return ""
			}
		}
		return kind
	}
	return ""
}
