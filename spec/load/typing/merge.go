package typing

import (
	"fmt"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// mergeTypes returns the type of the values that both types allow. If there is none,
// problem says why.
func mergeTypes(a, b *spec.Type) (t *spec.Type, problem string) {
	if a.Kind == spec.Any && isEmpty(a) {
		return b, ""
	}
	if b.Kind == spec.Any && isEmpty(b) {
		return a, ""
	}
	if a.Kind == spec.Union {
		return mergeUnion(a, b)
	}
	if b.Kind == spec.Union {
		return mergeUnion(b, a)
	}
	m := *a
	m.Nullable = a.Nullable && b.Nullable
	kind, ok := mergeKinds(a, b)
	if !ok {
		return nil, fmt.Sprintf("no value is both %s and %s", a.Kind, b.Kind)
	}
	m.Kind = kind
	switch {
	case m.Elem == nil || a.Kind != kind:
		m.Elem = b.Elem
	case b.Elem != nil && b.Kind == kind:
		var problem string
		if m.Elem, problem = mergeTypes(a.Elem, b.Elem); problem != "" {
			return nil, problem
		}
	}
	if len(b.Fields) > 0 {
		m.Fields, m.Open = b.Fields, b.Open
	}
	m.Keys = append(append([]string(nil), a.Keys...), b.Keys...)
	m.Min, m.Max = tighterBound(a.Min, b.Min, 1), tighterBound(a.Max, b.Max, -1)
	m.Not = append(append([]any(nil), a.Not...), b.Not...)
	m.Patterns = append(append([]spec.Pattern(nil), a.Patterns...), b.Patterns...)
	m.MinLen = max(a.MinLen, b.MinLen)
	m.MaxLen = smallerLimit(a.MaxLen, b.MaxLen)
	m.Unique = a.Unique || b.Unique
	m.MultipleOf = types.CommonMultiple(a.MultipleOf, b.MultipleOf)
	if m.MaxLen != nil && *m.MaxLen < m.MinLen {
		return nil, fmt.Sprintf("no value has at least %d and at most %d characters, items or fields", m.MinLen, *m.MaxLen)
	}
	return narrow(&m, a.Enum, b.Enum)
}

// mergeUnion restricts a union to the values that the other type allows.
func mergeUnion(u, other *spec.Type) (*spec.Type, string) {
	var kept []*spec.Type
	for _, v := range u.Variants {
		if m, problem := mergeTypes(v, other); problem == "" {
			kept = append(kept, m)
		}
	}
	switch len(kept) {
	case 0:
		return nil, fmt.Sprintf("no type of the union allows %s", other.Kind)
	case 1:
		return kept[0], ""
	}
	m := *u
	m.Variants = kept
	m.Nullable = u.Nullable && other.Nullable
	return &m, ""
}

func isEmpty(t *spec.Type) bool {
	return t.Not == nil && t.Min == nil && t.Max == nil && t.Patterns == nil && t.Enum == nil && t.Ref == ""
}

// mergeKinds returns the kind of the values that belong to both types.
func mergeKinds(a, b *spec.Type) (spec.Kind, bool) {
	x, y := a.Kind, b.Kind
	switch {
	case x == y, y == spec.Any:
		return x, true
	case x == spec.Any:
		return y, true
	case x == spec.Int && y == spec.Number, x == spec.Number && y == spec.Int:
		return spec.Int, true
	case x == spec.Map && y == spec.Object, x == spec.Object && y == spec.Map:
		return spec.Object, true
	default:
		return 0, false
	}
}

// narrow restricts the literals of a type to those that both enums and the bounds
// allow.
func narrow(t *spec.Type, a, b []any) (*spec.Type, string) {
	enum := a
	if a == nil {
		enum = b
	} else if b != nil {
		enum = nil
		for _, x := range a {
			for _, y := range b {
				if x == y {
					enum = append(enum, x)
				}
			}
		}
	}
	if enum == nil {
		if a != nil {
			return nil, "the two enums have no common literal"
		}
		return t, ""
	}
	rest := *t
	rest.Enum = nil
	t.Enum = nil
	for _, x := range enum {
		if types.Fits(x, &rest, nil) == nil {
			t.Enum = append(t.Enum, x)
		}
	}
	if t.Enum == nil {
		return nil, "the other constraints exclude all literals"
	}
	t.Not, t.Patterns, t.Min, t.Max, t.MinLen, t.MaxLen = nil, nil, nil, nil, 0, nil
	return t, ""
}

func smallerLimit(a, b *int) *int {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// tighterBound returns the more restrictive bound. sign is 1 for lower bounds and -1 for
// upper bounds.
func tighterBound(a, b *spec.Bound, sign int) *spec.Bound {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	c, _ := types.CompareLiterals(a.Value, b.Value)
	if c*sign > 0 || c == 0 && a.Exclusive {
		return a
	}
	return b
}
