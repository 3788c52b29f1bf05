package compile

import (
	"slices"

	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// takesSecretOutput reports whether the id takes a member of a response that is, or is in, or contains, a secret property of the
// resource, on the wire or by `return`. The type of the response may not say so.
func takesSecretOutput(r *plan.Resource, steps []*plan.Step) bool {
	own := secretProperties{r}
	var returned [][]string
	for _, p := range slices.Concat(r.Spec.Inputs.Fields, r.Spec.Outputs.Fields) {
		returned = append(returned, own.returned(p, returnedNode(r, p.Name))...)
	}
	return slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
		of, path := plan.ResultOf(steps, nil, ref.Path)
		if of == nil || of.ForEach != nil {
			return false
		}
		for i := range path {
			if i > 0 && (own.has(r.Spec.Inputs, path[i:]) || own.has(r.Spec.Outputs, path[i:])) {
				return true
			}
		}
		return slices.ContainsFunc(returned, func(other []string) bool {
			whose, secret := plan.ResultOf(steps, nil, other)
			shared := min(len(secret), len(path))
			// A whole response says nothing about its members.
			return whose == of && (shared > 1 || len(secret) == len(path)) && slices.Equal(secret[:shared], path[:shared])
		})
	})
}

// secretProperties finds the secret properties of a resource.
type secretProperties struct{ r *plan.Resource }

// has reports whether what is at a path on the wire, in a value of a type, is secret or contains a secret.
func (s secretProperties) has(t *spec.Type, path []string) bool {
	t = s.r.Types.Resolve(t)
	if len(path) == 0 {
		return types.HoldsSecret(t, s.r.Types)
	}
	for _, p := range t.Fields {
		if s.r.Naming.Rule.Name(p) == path[0] {
			return p.IsSecret() || s.has(p.Type, path[1:])
		}
	}
	return t.Elem != nil && s.has(t.Elem, path[1:]) || slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return s.has(v, path) })
}

// returned returns the paths to which the secret parts of a property refer, as `return` has it.
func (s secretProperties) returned(p *spec.Property, n *spec.Node) (paths [][]string) {
	switch {
	case n == nil:
	case p.IsSecret():
		if v, diags := expr.Compile(n, scopes.Untyped(), nil); !diags.HasErrors() {
			for _, ref := range v.Refs() {
				paths = append(paths, ref.Path)
			}
		}
	case n.Kind == spec.MapNode:
		for _, inner := range s.r.Types.Resolve(p.Type).Fields {
			paths = append(paths, s.returned(inner, n.Get(inner.Name))...)
		}
	}
	return paths
}
