package expr

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
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
	fn   *function
	args []typed
	node []ast.Node
	at   extent
}

func (c *checker) call(n *ast.CallNode) typed {
	if m, ok := n.Callee.(*ast.MemberNode); ok {
		return c.method(n, m)
	}
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(CodeUnknownFunction, c.extents.of(n), "", "this is no function")
	}
	name := extent{id.Location().From, id.Location().To}
	f := functions()[id.Value]
	if f == nil || f.run == nil {
		args := c.operands(n.Arguments)
		return c.noFunction(id.Value, name, args)
	}
	cl := &call{fn: f, args: make([]typed, len(n.Arguments)), node: n.Arguments, at: name}
	for i, arg := range n.Arguments {
		cl.args[i] = c.check(arg)
	}
	return c.apply(cl)
}

func (c *checker) operands(nodes []ast.Node) []typed {
	out := make([]typed, len(nodes))
	for i, n := range nodes {
		out[i] = c.operand(n)
	}
	return out
}

func (c *checker) noFunction(name string, at extent, _ []typed) typed {
	if why := forbidden(name); why != "" {
		return c.fail(CodeForbiddenFunction, at, why, "%s() cannot be used in a spec", name)
	}
	detail := ""
	if meant := diag.DidYouMean(name, slices.Collect(maps.Keys(functions()))); meant != "" {
		detail = "Did you mean " + functions()[meant].Signature + "?"
	}
	return c.fail(CodeUnknownFunction, at, detail, "unknown function %q", name)
}

// apply checks the arguments of a call against the function's parameters, and
// works out the type of its result.
func (c *checker) apply(cl *call) typed {
	f := cl.fn
	if n := len(cl.args); n < f.required() || !f.variadic() && n > len(f.params) {
		for _, a := range cl.args {
			c.use(a)
		}
		return c.fail(CodeWrongArgument, cl.at, "It is "+f.Signature+".", "%s takes %s, and has %d", f.Name, f.count(), n)
	}
	ok := true
	for i := range cl.args {
		ok = c.argument(cl, i) && ok
	}
	out := typed{t: f.result}
	if f.typed != nil && ok {
		out = f.typed(c, cl)
	}
	for i, a := range cl.args {
		if i > 0 || out.origin == nil {
			c.use(a)
		}
	}
	return out
}

// argument checks one argument of a call.
func (c *checker) argument(cl *call, i int) bool {
	p, v := cl.fn.param(i), &cl.args[i]
	t := resolve(v.t, c.types)
	if mayBeNull(t, c.types) && !p.t.Nullable {
		before := len(c.diags)
		v.t = c.nonNull(*v)
		if isNull(t) || len(c.diags) > before && isNull(t) {
			return false
		}
		t = resolve(v.t, c.types)
	}
	if isAny(t) {
		return true
	}
	if p.pattern {
		c.pattern(cl.node[i], v.at)
	}
	a := assignment{types: c.types}
	if m := a.check(t, p.t, 0); m != nil {
		c.fail(CodeWrongArgument, v.at, "It is "+cl.fn.Signature+".", "%s: argument %d (%s) %s", cl.fn.Name, i+1, p.name, m.reason)
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
		return c.fail(CodeUnknownFunction, c.extents.of(n), "", "this is no function")
	}
	at := extent{name.Location().From, name.Location().To}
	if isAny(t) {
		c.unchecked++
		return typed{t: t}
	}
	if !isTime(t) {
		detail := "Only times have methods."
		if functions()[name.Value] != nil {
			detail = "Write it as " + name.Value + "(" + c.text(base.at) + ", …)."
		}
		return c.fail(CodeUnknownFunction, at, detail, "%s has no method %q", Describe(t), name.Value)
	}
	f := timeMethods(t.Ref)[name.Value]
	if f == nil {
		return c.fail(CodeUnknownFunction, at, diag.Remedy(name.Value, slices.Collect(maps.Keys(timeMethods(t.Ref)))), "%s has no method %q", Describe(t), name.Value)
	}
	return c.apply(&call{fn: f, args: args, node: n.Arguments, at: at})
}

// listArgument is the list that a predicate goes over.
func (c *checker) listArgument(name string, v typed) (item *spec.Type) {
	t := c.nonNull(v)
	switch {
	case isAny(t):
		c.unchecked++
		return static().any
	case t.Kind == spec.List:
		return elem(t)
	case t.Kind == spec.Map || t.Kind == spec.Object:
		c.fail(CodeWrongArgument, v.at, "Go over values("+c.text(v.at)+"), keys(…) or toPairs(…).", "%s goes over a list, and this is %s", name, Describe(v.t))
	default:
		c.fail(CodeWrongArgument, v.at, "", "%s goes over a list, and this is %s", name, Describe(v.t))
	}
	return static().any
}

// builtin checks a function with a predicate.
func (c *checker) builtin(n *ast.BuiltinNode) typed {
	list := c.check(n.Arguments[0])
	before := len(c.refs)
	item := c.listArgument(n.Name, list)
	each := typed{t: item, origin: extend(list.origin, "*")}
	var facts []string
	var acc *spec.Type // of reduce: what #acc is
	if n.Name == "reduce" {
		acc = general(item, c.types)
		if len(n.Arguments) > 2 {
			acc = general(c.operand(n.Arguments[2]).t, c.types)
		}
	}
	at := list.at
	body := item
	if len(n.Arguments) > 1 {
		var mapped typed
		mapped, facts = c.predicate(n.Arguments[1], each, acc)
		body, at = mapped.t, mapped.at
	}
	out := typed{t: join(body, orNever(acc), c.types)}
	if n.Name != "reduce" {
		out = c.ofPredicate(n, list, item, typed{t: body, at: at}, facts)
	}
	switch {
	case out.origin != nil:
	case list.origin != nil && !c.refersTo(before, append(slices.Clip(list.origin), "*")):
		c.use(list)
	case n.Name == "sum" && len(n.Arguments) < 2, n.Name == "reduce", n.Name == "groupBy":
		c.use(list)
	}
	return out
}

// predicate checks the body of one, with `#` an item of the list.
func (c *checker) predicate(n ast.Node, each typed, acc *spec.Type) (typed, []string) {
	if p, ok := n.(*ast.PredicateNode); ok {
		n = p.Node
	}
	c.items = append(c.items, item{each, acc})
	saved := c.facts
	body := c.operand(n)
	key := "#" + strconv.Itoa(len(c.items))
	var own []string
	for _, fact := range c.when(n, true) {
		if fact == key || strings.HasPrefix(fact, key+"\x00") {
			own = append(own, strings.TrimPrefix(strings.TrimPrefix(fact, key), "\x00"))
		}
	}
	c.facts = saved
	c.items = c.items[:len(c.items)-1]
	return body, own
}

// ofPredicate is what a function with a predicate yields.
func (c *checker) ofPredicate(n *ast.BuiltinNode, list typed, item *spec.Type, body typed, facts []string) typed {
	s := static()
	switch n.Name {
	case "all", "any", "none", "one":
		c.wantBool(body, "the predicate")
		return typed{t: s.bool}
	case "count":
		c.wantBool(body, "the predicate")
		return typed{t: s.int}
	case "filter":
		c.wantBool(body, "the predicate")
		return typed{t: listOf(refined(item, facts, c.types)), origin: list.origin, shuffled: true}
	case "find", "findLast":
		c.wantBool(body, "the predicate")
		return typed{t: nullable(refined(item, facts, c.types)), origin: extend(list.origin, "*")}
	case "findIndex", "findLastIndex":
		c.wantBool(body, "the predicate")
		return typed{t: nullable(s.int)}
	case "map":
		return typed{t: listOf(body.t)}
	case "sum":
		t := c.nonNull(body)
		if !isAny(t) && !isNumeric(t) && !isNever(t) {
			return c.fail(CodeWrongArgument, body.at, "", "sum adds numbers, and this is %s", Describe(body.t))
		}
		if t.Kind == spec.Int || isNever(t) {
			return typed{t: s.int}
		}
		return typed{t: s.number}
	case "groupBy":
		c.sortable(n.Name, body)
		return typed{t: mapOf(listOf(item)), origin: nil}
	case "sortBy":
		c.sortable(n.Name, body)
		c.sortOrder(n)
		return typed{t: listOf(item), origin: list.origin, shuffled: true}
	}
	return c.noFunction(n.Name, extent{n.Location().From, n.Location().To}, nil)
}

// sortable checks that what items are sorted or grouped by has an order.
func (c *checker) sortable(name string, v typed) {
	t := c.nonNull(v)
	if !isAny(t) && !isNumeric(t) && !isString(t) && t.Kind != spec.Bool && !isTime(t) && !isNever(t) {
		c.fail(CodeWrongArgument, v.at, "", "%s needs a scalar of each item, and this is %s", name, Describe(v.t))
	}
}

func (c *checker) sortOrder(n *ast.BuiltinNode) {
	if len(n.Arguments) < 3 {
		return
	}
	v := c.operand(n.Arguments[2])
	t := c.nonNull(v)
	if s, ok := n.Arguments[2].(*ast.StringNode); ok && s.Value != "asc" && s.Value != "desc" || !isAny(t) && !isString(t) {
		c.fail(CodeWrongArgument, v.at, "", "the order is \"asc\" or \"desc\"")
	}
}

func orNever(t *spec.Type) *spec.Type {
	if t == nil {
		return static().never
	}
	return t
}

// general is a type without the literals that it is made of: what a variable
// that begins with such a value may come to be.
func general(t *spec.Type, types spec.Types) *spec.Type {
	r := resolve(t, types)
	switch {
	case isTime(r):
		return t
	case len(r.Enum) > 0:
		return &spec.Type{Kind: r.Kind, Nullable: r.Nullable}
	case r.Kind == spec.List && r.MaxLen != nil, isEmptyObject(r), isNull(r):
		return static().any
	default:
		return t
	}
}

// refined is an item whose named members are known to be there.
func refined(item *spec.Type, facts []string, types spec.Types) *spec.Type {
	for _, fact := range facts {
		item = present(item, types)
		name, _, _ := strings.Cut(fact, "\x00")
		r := resolve(item, types)
		p := r.Field(name)
		if name == "" || r.Kind != spec.Object || p == nil {
			continue
		}
		c := *r
		c.Fields = slices.Clone(r.Fields)
		q := *p
		q.Required, q.Type = true, present(p.Type, types)
		setField(&c, &q)
		item = &c
	}
	return item
}
