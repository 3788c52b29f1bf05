package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// local is a variable of `let`.
type local struct {
	name string
	val  typed
	id   int
}

func (c *checker) identifier(n *ast.IdentifierNode) typed {
	if n.Value == "null" {
		return typed{t: static().null}
	}
	at := extent{n.Location().From, n.Location().To}
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
			t = static().any
		}
		return typed{t: c.narrowed(n.Value, t), origin: []string{n.Value}, at: at}
	}
	if f := functions()[n.Value]; f != nil {
		return c.fail(CodeUnknownName, at, fmt.Sprintf("%s is a function: %s", n.Value, f.Signature), "%s is not called", n.Value)
	}
	return c.fail(CodeUnknownName, at, diag.Remedy(n.Value, c.names()), "unknown name %q", n.Value)
}

func (c *checker) local(name string) *local {
	for i := len(c.locals) - 1; i >= 0; i-- {
		if c.locals[i].name == name {
			return &c.locals[i]
		}
	}
	return nil
}

// names are what an author can refer to here.
func (c *checker) names() []string {
	var names []string
	for _, n := range c.scope.Names {
		if n.Absent == "" {
			names = append(names, n.Name)
		}
	}
	for _, l := range c.locals {
		names = append(names, l.name)
	}
	return names
}

func (c *checker) pointer(n *ast.PointerNode) typed {
	if len(c.items) == 0 {
		return c.fail(CodeSyntax, c.extents.of(n), "It is the item at hand in a predicate, as in filter(list, # > 1).", "# has no meaning here")
	}
	it := c.items[len(c.items)-1]
	switch n.Name {
	case "":
		v := it.val
		v.at, v.t = c.extents.of(n), c.narrowed(c.key(n), v.t)
		return v
	case "index":
		return typed{t: static().int}
	case "acc":
		if it.acc != nil {
			return typed{t: it.acc}
		}
	}
	return c.fail(CodeUnknownName, c.extents.of(n), "A predicate has # (the item), #index, and in reduce #acc.", "unknown name %q", "#"+n.Name)
}

func (c *checker) let(n *ast.VariableDeclaratorNode) typed {
	v := c.check(n.Value)
	if _, ok := functions()[n.Name]; ok || n.Name == "null" {
		c.fail(CodeSyntax, extent{n.Location().From, n.Location().To}, "Take another name.", "%s means something already", n.Name)
	}
	before := len(c.refs)
	c.locals = append(c.locals, local{n.Name, v, c.nextID()})
	out := c.check(n.Expr)
	c.locals = c.locals[:len(c.locals)-1]
	if v.origin != nil && !c.refersTo(before, v.origin) && !under(out.origin, v.origin) {
		c.use(v)
	}
	out.at = extent{}
	return out
}

// nextID tells variables of one name apart: a place of the expression does.
func (c *checker) nextID() int { return len(c.locals)<<16 + len(c.refs) }

// refersTo reports whether a reference since then is at or under a path.
func (c *checker) refersTo(since int, path []string) bool {
	return slices.ContainsFunc(c.refs[since:], func(r reference) bool { return under(r.path, path) })
}

// under reports whether a path is at or under another.
func under(path, base []string) bool {
	return len(path) >= len(base) && slices.Equal(path[:len(base)], base)
}

// key names a part for what is known of it: the same key is the same value. ""
// is a part that has no key.
func (c *checker) key(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if l := c.local(n.Value); l != nil {
			return "let " + n.Value + " " + strconv.Itoa(l.id)
		}
		return n.Value
	case *ast.PointerNode:
		if n.Name == "" {
			return "#" + strconv.Itoa(len(c.items))
		}
	case *ast.ChainNode:
		return c.key(n.Node)
	case *ast.MemberNode:
		step, ok := stepOf(n.Property)
		if base := c.key(n.Node); ok && base != "" {
			return base + "\x00" + step
		}
	}
	return ""
}

// stepOf is a literal member as a step of a path.
func stepOf(property ast.Node) (string, bool) {
	switch p := property.(type) {
	case *ast.StringNode:
		return p.Value, true
	case *ast.IntegerNode:
		return strconv.Itoa(p.Value), p.Value >= 0
	default:
		return "", false
	}
}

// narrowed is a type less null, where that is known.
func (c *checker) narrowed(key string, t *spec.Type) *spec.Type {
	if len(c.facts) == 0 || key == "" || !mayBeNull(t, c.types) {
		return t
	}
	for _, fact := range c.facts {
		if fact == key || strings.HasPrefix(fact, key) && fact[len(key)] == 0 {
			return present(t, c.types)
		}
	}
	return t
}
