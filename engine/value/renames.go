package value

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// Renames reports whether the rule or any @wire changes a name in the type, or another part of its
// form on the wire.
func (w WireRule) Renames(named spec.Types, t *spec.Type) bool {
	return types.Search(t, func(t *spec.Type, part func(*spec.Type) bool) bool {
		switch {
		case t.OnWire != spec.Any, t.Ref != "" && part(named.Resolve(t)):
			return true
		case t.Sent != nil:
			return part(t.Sent.Struct) || slices.ContainsFunc(t.Sent.Items, part)
		}
		return types.InParts(t, part) || slices.ContainsFunc(t.Fields, func(p *spec.Property) bool {
			return w.Name(p) != p.Name || p.WireParents != nil || p.WireItem != nil
		})
	})
}

// Loses reports whether values of a type may have names or types on the wire that the type does not tell.
func (w WireRule) Loses(named spec.Types, t *spec.Type) bool {
	return types.Search(t, func(t *spec.Type, part func(*spec.Type) bool) bool {
		switch {
		case t.Sent != nil && t.Sent.Items != nil:
			return slices.ContainsFunc(t.Sent.Items, part)
		case t.Lost != nil && (w.Renames(named, t.Lost) || part(t.Lost)):
			return true
		case t.Sent != nil:
			return part(t.Sent.Struct)
		}
		return types.InParts(t, part)
	})
}
