package expr

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// forbidden are functions of expr's that a spec may not use, and what to do
// instead.
func forbidden(name string) string {
	switch name {
	case "now":
		return "The time of day differs between preview and update. Let the service say it, or take it as an input."
	case "timezone":
		return "Zones depend on the machine; times are in UTC. Give the zone in the text that date() reads."
	default:
		return ""
	}
}

// call is one call of a function, as its result type is worked out from it.
type call struct {
	*checker
	fn   *prototype
	args []typed
	node []ast.Node
	at   parse.Extent
}

func (c *checker) call(n *ast.CallNode) typed {
	if m, ok := n.Callee.(*ast.MemberNode); ok {
		return c.method(n, m)
	}
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(CodeUnknownFunction, c.extents.Of(n), "", "this is no function")
	}
	name := parse.ExtentOf(id)
	f := c.functions.named[id.Value]
	if f == nil || f.predicate {
		c.operands(n.Arguments)
		return c.noFunction(id.Value, name)
	}
	cl := &call{checker: c, fn: f, args: make([]typed, len(n.Arguments)), node: n.Arguments, at: name}
	for i, arg := range n.Arguments {
		cl.args[i] = c.check(arg)
	}
	return cl.apply()
}

func (c *checker) operands(nodes []ast.Node) []typed {
	out := make([]typed, len(nodes))
	for i, n := range nodes {
		out[i] = c.operand(n)
	}
	return out
}

func (c *checker) noFunction(name string, at parse.Extent) typed {
	if why := forbidden(name); why != "" {
		return c.fail(CodeForbiddenFunction, at, why, "%s() cannot be used in a spec", name)
	}
	detail := ""
	if meant := diag.DidYouMean(name, slices.Collect(maps.Keys(c.functions.named))); meant != "" {
		detail = "Did you mean " + c.functions.named[meant].Signature + "?"
	}
	return c.fail(CodeUnknownFunction, at, detail, "unknown function %q", name)
}

// apply checks the arguments of a call against the function's parameters, and
// works out the type of its result.
func (cl *call) apply() typed {
	f := cl.fn
	if n := len(cl.args); n < f.required() || !f.variadic() && n > len(f.params) {
		for _, a := range cl.args {
			cl.use(a)
		}
		return cl.fail(CodeWrongArgument, cl.at, "It is "+f.Signature+".", "%s takes %s, and has %d", f.Name, f.count(), n)
	}
	ok := true
	for i := range cl.args {
		ok = cl.argument(i) && ok
	}
	out := typed{t: f.result}
	if f.typed != nil && ok {
		out = f.typed(cl)
	}
	for i, a := range cl.args {
		if i > 0 || out.origin == nil {
			cl.use(a)
		}
	}
	return out
}

// argument checks one argument of a call.
func (cl *call) argument(i int) bool {
	p, v := cl.fn.param(i), &cl.args[i]
	t := types.Resolve(v.t, cl.types)
	if types.MayBeNull(t, cl.types) && !p.t.Nullable {
		before := len(cl.diags)
		v.t = cl.nonNull(*v)
		if types.IsNull(t) || len(cl.diags) > before && types.IsNull(t) {
			return false
		}
		t = types.Resolve(v.t, cl.types)
	}
	if types.IsAny(t) {
		return true
	}
	if p.pattern {
		cl.pattern(cl.node[i], v.at)
	}
	if m := types.Assignable(t, p.t, cl.types); m != nil {
		cl.fail(CodeWrongArgument, v.at, "It is "+cl.fn.Signature+".", "%s: argument %d (%s) %s", cl.fn.Name, i+1, p.name, m.Reason)
		return false
	}
	return true
}

// method is a call of a time's or a duration's method; nothing else has any.
func (c *checker) method(n *ast.CallNode, m *ast.MemberNode) typed {
	base := c.operand(m.Node)
	t := c.nonNull(base)
	name, _ := m.Property.(*ast.StringNode)
	args := c.operands(n.Arguments)
	if name == nil {
		return c.fail(CodeUnknownFunction, c.extents.Of(n), "", "this is no function")
	}
	at := parse.ExtentOf(name)
	if types.IsAny(t) {
		c.trust(at)
		return typed{t: t}
	}
	if !types.IsTime(t) {
		detail := "Only times have methods."
		if f := c.functions.named[name.Value]; f != nil {
			more := ""
			if f.required() > 1 {
				more = ", …"
			}
			detail = "Write it as " + name.Value + "(" + c.text(base.at) + more + ")."
		}
		return c.fail(CodeUnknownFunction, at, detail, "%s has no method %q", types.Describe(t), name.Value)
	}
	methods := c.functions.methods(t)
	f := methods[name.Value]
	if f == nil {
		return c.fail(CodeUnknownFunction, at, diag.Remedy(name.Value, slices.Collect(maps.Keys(methods))), "%s has no method %q", types.Describe(t), name.Value)
	}
	cl := &call{checker: c, fn: f, args: args, node: n.Arguments, at: at}
	return cl.apply()
}
