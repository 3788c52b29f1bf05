package value

import (
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// WithDictionaries returns a value from outside, under its names on the wire, in which each map of the type that the naming is for is
// an *actions.Dictionary, except in lists. Values of another type than declared remain.
func (n Naming) WithDictionaries(v any, form actions.Form) any {
	r := reception{rule: n.Rule, types: n.types, xml: form == actions.XML, lenient: true}
	return r.dictionaries(v, n.onto)
}

func (r *reception) dictionaries(v any, declared *spec.Type) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	switch t := r.types.Resolve(declared); t.Kind {
	case spec.Map:
		anything := t.Elem == nil || r.types.Resolve(t.Elem).Kind == spec.Any
		return &actions.Dictionary{Members: members, OfAny: anything}
	case spec.Union:
		if i := types.Variant(t, r.shape(v), r.types); i >= 0 {
			return r.dictionaries(v, t.Variants[i])
		}
	case spec.Object:
		return r.dictionariesIn(members, t)
	}
	return v
}

// dictionariesIn returns an object with the members that the type declares. Those that it does not declare remain; if they have
// a type, they are data, too.
func (r *reception) dictionariesIn(v map[string]any, t *spec.Type) any {
	if r.xml {
		v = r.renameElements(v, t, nil)
	}
	out := v
	if t.Open && t.Elem != nil {
		out = map[string]any{}
	}
	for _, p := range t.Fields {
		path := append(append([]string{}, r.parents(p)...), r.wire(p))
		if item, there := memberAt(v, path); there {
			out = withMember(out, path, r.dictionaries(item, p.Type))
		}
	}
	return out
}

// memberAt returns the member at a path.
func memberAt(v map[string]any, path []string) (item any, there bool) {
	for _, name := range path[:len(path)-1] {
		v, _ = v[name].(map[string]any)
	}
	item, there = v[path[len(path)-1]]
	return item, there
}

// withMember returns a copy of the object with another member at a path.
func withMember(v map[string]any, path []string, item any) map[string]any {
	out := maps.Clone(v)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) > 1 {
		inner, _ := out[path[0]].(map[string]any)
		item = withMember(inner, path[1:], item)
	}
	out[path[0]] = item
	return out
}
