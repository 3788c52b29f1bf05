package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// Search reports whether holds is true of a type. holds reports the same of the parts of the type
// that count, which it passes to part. Each part counts once: definitions may refer to themselves.
func Search(t *spec.Type, holds func(t *spec.Type, part func(*spec.Type) bool) bool) bool {
	// The keys are types as they are referred to. Resolve may return a new one each time.
	seen := map[*spec.Type]bool{}
	var search func(t *spec.Type) bool
	search = func(t *spec.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		return holds(t, search)
	}
	return search(t)
}

// InParts reports whether part is true of the elements, a variant or a member of a type.
func InParts(t *spec.Type, part func(*spec.Type) bool) bool {
	return part(t.Elem) || slices.ContainsFunc(t.Variants, part) ||
		slices.ContainsFunc(t.Fields, func(p *spec.Property) bool { return part(p.Type) })
}
