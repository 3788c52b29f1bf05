package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// HoldsFile reports whether a value of the type contains an asset or archive, at any depth, if all is given that may be. An optional
// property that requires a replacement does not count: it is never among the changes of an update.
func HoldsFile(t *spec.Type, named spec.Types) bool {
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type) bool
	visit = func(t *spec.Type) bool {
		if t = named.Resolve(t); seen[t] {
			return false
		}
		seen[t] = true
		for _, p := range t.Fields {
			if (p.Required || !p.Replace) && visit(p.Type) {
				return true
			}
		}
		if len(t.Variants) > 0 { // a condition may exclude the variant that is a file
			return !slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return !visit(v) })
		}
		return t.Kind == spec.Asset || t.Kind == spec.Archive || t.Elem != nil && visit(t.Elem)
	}
	return visit(t)
}
