package yield

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// keepsSecrets reports whether each secret in values of a type stays secret, or is left out, when
// the values become values of another type.
func keepsSecrets(from, to *spec.Type, named spec.Types) bool {
	c := comparison{types: named, seen: map[[2]*spec.Type]bool{}}
	return c.keeps(from, to)
}

// comparison compares the secrets of two types that may contain themselves.
type comparison struct {
	types spec.Types
	seen  map[[2]*spec.Type]bool
}

// keeps reports whether the secrets in values of a type stay secret as values of another.
func (c comparison) keeps(from, to *spec.Type) bool {
	pair := [2]*spec.Type{from, to} // as they are referred to: Resolve may return a new type each time
	from, to = c.types.Resolve(from), c.types.Resolve(to)
	if from == to || c.seen[pair] || !types.HoldsSecret(from, c.types) {
		return true
	}
	c.seen[pair] = true
	switch {
	case from.Kind == spec.Union:
		return !slices.ContainsFunc(from.Variants, func(v *spec.Type) bool { return !c.keeps(v, to) })
	case to.Kind == spec.Union:
		return !slices.ContainsFunc(to.Variants, func(v *spec.Type) bool { return !c.keeps(from, v) })
	case to.Kind == spec.Any:
		return false
	case to.Kind == spec.Object || to.Kind == spec.Map:
		return c.keepsMembers(from, to)
	default:
		return from.Kind != spec.List || c.keeps(from.Elem, to.Elem)
	}
}

// keepsMembers does the same for structs and maps that become a struct or map.
func (c comparison) keepsMembers(from, to *spec.Type) bool {
	for _, f := range from.Fields {
		p := to.Field(f.Name)
		switch {
		case p != nil && p.IsSecret():
		case p != nil:
			if f.IsSecret() || !c.keeps(f.Type, p.Type) {
				return false
			}
		case to.Kind == spec.Object && !to.Open:
			// It is left out.
		case f.IsSecret() || !c.keeps(f.Type, to.Elem):
			return false
		}
	}
	return from.Elem == nil || c.keeps(from.Elem, to.Elem)
}
