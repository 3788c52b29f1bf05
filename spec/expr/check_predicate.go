package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
)

// listArgument is the list that a predicate goes over.
func (c *checker) listArgument(name string, v typed) (item *spec.Type) {
	t := c.nonNull(v)
	switch {
	case isAny(t):
		c.trust(v.at)
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
	return c.noFunction(n.Name, extent{n.Location().From, n.Location().To})
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
