package expr

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// A formula is secret as a whole if anything that it refers to is secret or holds a
// secret: what becomes of the secret in it nobody follows. One that only selects
// among values, as find(users, .name == "a") does, yields values of the declared
// type, whose secrets are where that type has them.

// selection is what a formula that only selects yields, and the scope of its names.
type selection struct {
	scope *Scope
	t     *spec.Type
}

// declared reports whether all secrets that a formula refers to lie within what it
// refers to, at places that the types declare secret.
func (s *selection) declared(vars *Vars, refs []reference) bool {
	for _, path := range vars.Secrets {
		for _, r := range refs {
			if !related(r.path, path) || r.presence && len(path) > len(r.path) {
				continue
			}
			if len(path) <= len(r.path) || !s.scope.declares(path) {
				return false
			}
		}
	}
	return true
}

// Hidden reports whether a compiled part that refers to these is secret as a whole;
// the marks of one that is not are in its type.
func Hidden(e evaluator, s *Scope, refs []Ref) bool {
	switch e := e.(type) {
	case fixed, *dict:
		return false
	case *chain:
		return s.hides(refs, true)
	case *formula:
		return s.hides(refs, e.selects != nil)
	case *sequence:
		return slices.ContainsFunc(e.parts, func(p evaluator) bool { return Hidden(p, s, refs) })
	case *chosenPart:
		return Hidden(e.part, s, refs)
	case *merged:
		return slices.ContainsFunc(e.parts, func(p evaluator) bool { return Hidden(p, s, refs) })
	default:
		return s.hides(refs, false)
	}
}
