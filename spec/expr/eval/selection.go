package eval

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
)

// A formula is secret as a whole if anything that it refers to is secret or holds a
// secret: what becomes of the secret in it nobody follows. One that only selects
// among values, as find(users, .name == "a") does, yields values of the declared
// type, whose secrets are where that type has them.

// selection is what a formula that only selects yields, and the scope of its names.
type selection struct {
	scope *check.Scope
	t     *spec.Type
}

// declared reports whether all secrets that a formula refers to lie within what it
// refers to, at places that the types declare secret.
func (s *selection) declared(vars *Vars, refs []check.Reference) bool {
	for _, path := range vars.Secrets {
		for _, r := range refs {
			if !related(r.Path, path) || r.Presence && len(path) > len(r.Path) {
				continue
			}
			if len(path) <= len(r.Path) || !s.scope.Declares(path) {
				return false
			}
		}
	}
	return true
}

// Hidden reports whether a compiled part that refers to these is secret as a whole;
// the marks of one that is not are in its type.
func Hidden(e Evaluator, s *check.Scope, refs []check.Ref) bool {
	switch e := e.(type) {
	case Fixed, *Dict:
		return false
	case *Chain:
		return s.Hides(refs, true)
	case *formula:
		return s.Hides(refs, e.selects != nil)
	case *Sequence:
		return slices.ContainsFunc(e.Parts, func(p Evaluator) bool { return Hidden(p, s, refs) })
	case *chosenPart:
		return Hidden(e.part, s, refs)
	case *merged:
		return slices.ContainsFunc(e.parts, func(p Evaluator) bool { return Hidden(p, s, refs) })
	default:
		return s.Hides(refs, false)
	}
}
