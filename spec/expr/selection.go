package expr

import (
	"slices"

	"github.com/expr-lang/expr/ast"

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

// declares reports whether what a path leads to is declared secret, or lies under
// what is.
func (s *Scope) declares(path []string) bool {
	return s.refersToSecret([]Ref{{Path: path, Presence: true}})
}

// selects reports whether an expression yields nothing but what it refers to, or
// constants.
func selects(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.NilNode, *ast.IdentifierNode, *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	case *ast.ChainNode:
		return selects(n.Node)
	case *ast.MemberNode:
		return selects(n.Node)
	case *ast.SliceNode:
		return selects(n.Node)
	case *ast.ConditionalNode:
		return selects(n.Exp1) && selects(n.Exp2)
	case *ast.BinaryNode:
		return n.Operator == "??" && selects(n.Left) && selects(n.Right)
	case *ast.BuiltinNode:
		return selectors(n.Name) && selects(n.Arguments[0])
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && selectors(id.Value) && len(n.Arguments) > 0 && selects(n.Arguments[0])
	default:
		return false
	}
}

// selectors are the functions that yield items of their first argument.
func selectors(name string) bool {
	return slices.Contains([]string{"filter", "find", "findLast", "first", "last", "take", "reverse", "sort", "sortBy"}, name)
}

// moves reports whether an expression keeps what is secret where it is: see
// builder.structure.
func moves(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.MapNode:
		return true
	case *ast.ArrayNode:
		return !slices.ContainsFunc(n.Nodes, func(item ast.Node) bool { return !moves(item) })
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && slices.Contains([]string{"merge", "pick", "omit"}, id.Value) &&
			!slices.ContainsFunc(n.Arguments, func(a ast.Node) bool { return !moves(a) })
	default:
		return selects(n)
	}
}

// hides reports whether what refers to these is secret as a whole: one of them leads
// through or to what is declared secret or, unless the value is only moved, above it.
func (s *Scope) hides(refs []Ref, moved bool) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool {
		r.Presence = r.Presence || moved
		return s.refersToSecret([]Ref{r})
	})
}

// hidden reports whether a compiled part that refers to these is secret as a whole;
// the marks of one that is not are in its type.
func (s *Scope) hidden(e evaluator, refs []Ref) bool {
	switch e := e.(type) {
	case fixed, *dict:
		return false
	case *chain:
		return s.hides(refs, true)
	case *formula:
		return s.hides(refs, e.selects != nil)
	case *sequence:
		return slices.ContainsFunc(e.parts, func(p evaluator) bool { return s.hidden(p, refs) })
	case *chosenPart:
		return s.hidden(e.part, refs)
	case *merged:
		return slices.ContainsFunc(e.parts, func(p evaluator) bool { return s.hidden(p, refs) })
	default:
		return s.hides(refs, false)
	}
}

// MarkDeclared returns a plain value with the marks that its type declares within
// it. Of what is no variant of a union, or not known yet, all is secret that may have
// a secret.
func MarkDeclared(v any, t *spec.Type, types spec.Types) any {
	switch v.(type) {
	case map[string]any, []any, Unknown:
	default:
		return v
	}
	whole := types.Resolve(t)
	t = types.Narrow(whole, ShapeOf(v, nil))
	if _, unknown := v.(Unknown); t == nil || unknown {
		return wrap(v, types.HoldsSecret(whole))
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = MarkDeclared(item, t.Elem, types)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			switch p := t.Field(name); {
			case p == nil:
				out[name] = MarkDeclared(item, t.Elem, types)
			default:
				out[name] = wrap(MarkDeclared(item, p.Type, types), p.Secret || p.Ephemeral)
			}
		}
		return out
	default:
		return v
	}
}
