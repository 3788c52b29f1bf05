package check

import (
	"cmp"
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

func (c *checker) checkIdentifier(n *ast.IdentifierNode) TypedPart {
	if n.Value == "null" {
		return TypedPart{T: types.Null()}
	}
	at := parse.ExtentOf(n)
	if l := c.local(n.Value); l != nil {
		v := l.val
		v.At, v.T = at, c.narrow(c.key(n), v.T)
		return v
	}
	if name := c.scope.Find(n.Value); name != nil {
		if name.Absent != "" {
			if out, ok := (translator{c}).translateAbsent(n.Value, at); ok {
				return out
			}
			return c.Fail(CodeNameNotHere, at, name.Absent+(translator{c}).instead(n.Value), "%s is not available here", n.Value)
		}
		t := name.Type
		if t == nil {
			t = types.Any()
		}
		return TypedPart{T: c.narrow(n.Value, t), Origin: []string{n.Value}, At: at}
	}
	if f := c.functions.Named[n.Value]; f != nil {
		return c.Fail(CodeUnknownName, at, fmt.Sprintf("Call it: %s.", f.Signature), "%s is a function", n.Value)
	}
	var names []string
	for _, name := range c.scope.Names {
		if name.Absent == "" {
			names = append(names, name.Name)
		}
	}
	for _, l := range c.locals {
		names = append(names, l.name)
	}
	names = append(names, c.place.Node.Locals...)
	t := translator{c}
	if out, ok := (unknownName{t, n.Value, at, t.memberAfter(at)}).translate(names); ok {
		return out
	}
	return c.FailMeaning(CodeUnknownName, at, n.Value, names, "unknown name %q", n.Value)
}

func (c *checker) checkPointer(n *ast.PointerNode) TypedPart {
	if len(c.items) == 0 {
		return c.Fail(parse.CodeSyntax, c.extents.Of(n), "# is the current item in a predicate, as in filter(list, # > 1).", "# is not available here")
	}
	it := c.items[len(c.items)-1]
	switch n.Name {
	case "":
		v := it.val
		v.At, v.T = c.extents.Of(n), c.narrow(c.key(n), v.T)
		return v
	case "index":
		return TypedPart{T: types.Int()}
	case "key":
		if it.keyed {
			return TypedPart{T: types.String()}
		}
	case "acc":
		if it.acc != nil {
			return TypedPart{T: it.acc}
		}
	}
	return c.Fail(CodeUnknownName, c.extents.Of(n), "A predicate can use # (the item), #index, in reduce #acc, and in mapValues #key.", "unknown name %q", "#"+n.Name)
}

func (c *checker) checkLet(n *ast.VariableDeclaratorNode) TypedPart {
	v := c.check(n.Value)
	if _, ok := c.functions.Named[n.Name]; ok || n.Name == "null" {
		c.Fail(parse.CodeSyntax, parse.ExtentOf(n), "Choose another name.", "the name %s is already in use", n.Name)
	}
	before := len(c.refs)
	// The place distinguishes variables with the same name.
	key := cmp.Or(c.key(n.Value), fmt.Sprintf("let %s %d", n.Name, len(c.locals)<<16+before))
	c.locals = append(c.locals, local{n.Name, v, key})
	out := c.check(n.Expr)
	c.locals = c.locals[:len(c.locals)-1]
	if v.Origin != nil && !c.refersTo(before, v.Origin) && !isUnder(out.Origin, v.Origin) {
		c.use(v)
	}
	out.At = parse.Extent{}
	return out
}

// narrow returns a type without null if the part with the key is known not to be
// null.
func (c *checker) narrow(key string, t *spec.Type) *spec.Type {
	if types.MayBeNull(t, c.Types) && c.isPresent(key) {
		return types.Present(t, c.Types)
	}
	return t
}
