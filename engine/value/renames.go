package value

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// Renames reports whether the rule or any @wire changes a name in the type, or another part of its
// form on the wire.
func (w WireRule) Renames(named spec.Types, root *spec.Type) bool {
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type) bool
	visit = func(t *spec.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		switch {
		case t.OnWire != spec.Any, t.Ref != "" && visit(named.Resolve(t)):
			return true
		case t.Sent != nil:
			return visit(t.Sent.Struct) || slices.ContainsFunc(t.Sent.Items, visit)
		}
		return visit(t.Elem) || slices.ContainsFunc(t.Variants, visit) || slices.ContainsFunc(t.Fields, func(p *spec.Property) bool {
			return w.Name(p) != p.Name || p.WireParents != nil || p.WireItem != nil || visit(p.Type)
		})
	}
	return visit(root)
}

// Loses reports whether values of a type may have names or types on the wire that the type does not tell.
func (w WireRule) Loses(named spec.Types, root *spec.Type) bool {
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type) bool
	visit = func(t *spec.Type) bool {
		switch {
		case t == nil || seen[t]:
			return false
		case t.Sent != nil && t.Sent.Items != nil:
			return slices.ContainsFunc(t.Sent.Items, visit)
		}
		seen[t] = true
		if t.Lost != nil && (w.Renames(named, t.Lost) || visit(t.Lost)) {
			return true
		}
		if t.Sent != nil {
			return visit(t.Sent.Struct)
		}
		return visit(t.Elem) || slices.ContainsFunc(t.Variants, visit) ||
			slices.ContainsFunc(t.Fields, func(p *spec.Property) bool { return visit(p.Type) })
	}
	return visit(root)
}
