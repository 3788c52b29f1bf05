package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// HoldsFile reports whether a value of the type contains an asset or archive, at any depth, if all is given that may be. An optional
// property that requires a replacement does not count: it is never among the changes of an update.
func HoldsFile(t *spec.Type, named spec.Types) bool {
	return Search(t, func(t *spec.Type, part func(*spec.Type) bool) bool {
		t = named.Resolve(t)
		if len(t.Variants) > 0 { // a condition may exclude the variant that is a file
			return !slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return !part(v) })
		}
		return t.Kind == spec.Asset || t.Kind == spec.Archive || part(t.Elem) ||
			slices.ContainsFunc(t.Fields, func(p *spec.Property) bool { return (p.Required || !p.Replace) && part(p.Type) })
	})
}
