package expr

import (
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

func (c *checker) identifier(n *ast.IdentifierNode) typed {
	if n.Value == "null" {
		return typed{t: types.Null()}
	}
	at := parse.ExtentOf(n)
	if l := c.local(n.Value); l != nil {
		v := l.val
		v.at, v.t = at, c.narrowed(c.key(n), v.t)
		return v
	}
	for i := range c.scope.Names {
		name := &c.scope.Names[i]
		if name.Name != n.Value {
			continue
		}
		if name.Absent != "" {
			return c.fail(CodeNameNotHere, at, name.Absent, "%s is not to be had here", n.Value)
		}
		t := name.Type
		if t == nil {
			t = types.Any()
		}
		return typed{t: c.narrowed(n.Value, t), origin: []string{n.Value}, at: at}
	}
	if f := c.functions.named[n.Value]; f != nil {
		return c.fail(CodeUnknownName, at, fmt.Sprintf("%s is a function: %s", n.Value, f.Signature), "%s is not called", n.Value)
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
	return c.fail(CodeUnknownName, at, diag.Remedy(n.Value, names), "unknown name %q", n.Value)
}

func (c *checker) pointer(n *ast.PointerNode) typed {
	if len(c.items) == 0 {
		return c.fail(parse.CodeSyntax, c.extents.Of(n), "It is the item at hand in a predicate, as in filter(list, # > 1).", "# has no meaning here")
	}
	it := c.items[len(c.items)-1]
	switch n.Name {
	case "":
		v := it.val
		v.at, v.t = c.extents.Of(n), c.narrowed(c.key(n), v.t)
		return v
	case "index":
		return typed{t: types.Int()}
	case "acc":
		if it.acc != nil {
			return typed{t: it.acc}
		}
	}
	return c.fail(CodeUnknownName, c.extents.Of(n), "A predicate has # (the item), #index, and in reduce #acc.", "unknown name %q", "#"+n.Name)
}

func (c *checker) let(n *ast.VariableDeclaratorNode) typed {
	v := c.check(n.Value)
	if _, ok := c.functions.named[n.Name]; ok || n.Name == "null" {
		c.fail(parse.CodeSyntax, parse.ExtentOf(n), "Take another name.", "%s means something already", n.Name)
	}
	before := len(c.refs)
	// A place of the expression tells variables of one name apart.
	c.locals = append(c.locals, local{n.Name, v, len(c.locals)<<16 + before})
	out := c.check(n.Expr)
	c.locals = c.locals[:len(c.locals)-1]
	if v.origin != nil && !c.refersTo(before, v.origin) && !under(out.origin, v.origin) {
		c.use(v)
	}
	out.at = parse.Extent{}
	return out
}

// narrowed is a type less null, where that is known.
func (c *checker) narrowed(key string, t *spec.Type) *spec.Type {
	if types.MayBeNull(t, c.types) && c.isPresent(key) {
		return types.Present(t, c.types)
	}
	return t
}
