package eval

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
)

// A formula is secret as a whole if any of its references is or contains a secret,
// because secrets are not traced through formulas. A formula that only selects
// values, such as find(users, .name == "a"), is an exception: its result has the
// declared type of those values, which determines the secret parts.

// selection describes the result of a formula that only selects values: its type and
// its scope.
type selection struct {
	scope *check.Scope
	t     *spec.Type
}

// isDeclared reports whether all secrets in the references of a formula are below the
// referenced values, at places that their types declare secret.
func (s *selection) isDeclared(vars *Vars, refs []check.Reference) bool {
	for _, path := range vars.Secrets {
		for _, r := range refs {
			if !isRelated(r.Path, path) || r.Presence && len(path) > len(r.Path) {
				continue
			}
			if len(path) <= len(r.Path) || !s.scope.Declares(path) {
				return false
			}
		}
	}
	return true
}

// Hidden reports whether the value of a compiled part with these references is secret
// as a whole. Otherwise its type has the marks.
func Hidden(e Evaluator, s *check.Scope, refs []check.Ref) bool {
	switch e := e.(type) {
	case Constant, *Dict:
		return false
	case *Chain:
		return s.Hides(refs, true)
	case *formula:
		return s.Hides(refs, e.selects != nil)
	case *Sequence:
		return slices.ContainsFunc(e.Parts, func(p Evaluator) bool { return Hidden(p, s, refs) })
	case *selectNode:
		return Hidden(e.part, s, refs)
	case *mergeNode:
		return slices.ContainsFunc(e.parts, func(p Evaluator) bool { return Hidden(p, s, refs) })
	default:
		return s.Hides(refs, false)
	}
}
