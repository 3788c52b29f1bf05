package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
)

// predicateCheck checks a function that goes over a list with a predicate.
type predicateCheck struct {
	*checker
	n    *ast.BuiltinNode
	list typed
	// item is the type of the list's items.
	item *spec.Type
}

// builtin checks a function with a predicate.
func (c *checker) builtin(n *ast.BuiltinNode) typed {
	p := predicateCheck{checker: c, n: n, list: c.check(n.Arguments[0])}
	before := len(c.refs)
	p.item = p.itemType()
	var facts []string
	var acc *spec.Type // of reduce: what #acc is
	if n.Name == "reduce" {
		acc = general(p.item, c.types)
		if len(n.Arguments) > 2 {
			acc = general(c.operand(n.Arguments[2]).t, c.types)
		}
	}
	body := typed{t: p.item, at: p.list.at}
	if len(n.Arguments) > 1 {
		var mapped typed
		mapped, facts = p.body(acc)
		body = typed{t: mapped.t, at: mapped.at}
	}
	var out typed
	if n.Name == "reduce" {
		out.t = join(body.t, acc, c.types)
	} else {
		out = p.result(body, facts)
	}
	switch {
	case out.origin != nil:
	case p.list.origin != nil && !c.refersTo(before, append(slices.Clip(p.list.origin), "*")):
		c.use(p.list)
	case n.Name == "sum" && len(n.Arguments) < 2, n.Name == "reduce", n.Name == "groupBy":
		c.use(p.list)
	}
	return out
}

// itemType returns the type of the items of the list that the predicate goes over.
func (p *predicateCheck) itemType() *spec.Type {
	t := p.nonNull(p.list)
	switch {
	case isAny(t):
		p.trust(p.list.at)
		return Any()
	case t.Kind == spec.List:
		return elem(t)
	case t.Kind == spec.Map || t.Kind == spec.Object:
		p.fail(CodeWrongArgument, p.list.at, "Go over values("+p.text(p.list.at)+"), keys(…) or toPairs(…).", "%s goes over a list, and this is %s", p.n.Name, Describe(p.list.t))
	default:
		p.fail(CodeWrongArgument, p.list.at, "", "%s goes over a list, and this is %s", p.n.Name, Describe(p.list.t))
	}
	return Any()
}

// body checks the body of the predicate, with `#` an item of the list, and returns what
// is known of the item where it comes out true.
func (p *predicateCheck) body(acc *spec.Type) (body typed, facts []string) {
	n := p.n.Arguments[1]
	if predicate, ok := n.(*ast.PredicateNode); ok {
		n = predicate.Node
	}
	each := typed{t: p.item, origin: extend(p.list.origin, "*")}
	p.items = append(p.items, item{each, acc})
	saved := p.facts
	body = p.operand(n)
	key := "#" + strconv.Itoa(len(p.items))
	for _, fact := range p.when(n, true) {
		if fact == key || strings.HasPrefix(fact, key+"\x00") {
			facts = append(facts, strings.TrimPrefix(strings.TrimPrefix(fact, key), "\x00"))
		}
	}
	p.facts = saved
	p.items = p.items[:len(p.items)-1]
	return body, facts
}

// result returns what the function yields.
func (p *predicateCheck) result(body typed, facts []string) typed {
	switch p.n.Name {
	case "all", "any", "none", "one", "count", "filter", "find", "findLast", "findIndex", "findLastIndex":
		p.wantBool(body, "the predicate")
	case "groupBy", "sortBy":
		p.sortable(p.n.Name, body)
	}
	switch p.n.Name {
	case "all", "any", "none", "one":
		return typed{t: Bool()}
	case "count":
		return typed{t: Int()}
	case "filter":
		return typed{t: listOf(refined(p.item, facts, p.types)), origin: p.list.origin, shuffled: true}
	case "find", "findLast":
		return typed{t: nullable(refined(p.item, facts, p.types)), origin: extend(p.list.origin, "*")}
	case "findIndex", "findLastIndex":
		return typed{t: nullable(Int())}
	case "map":
		return typed{t: listOf(body.t)}
	case "sum":
		t := p.nonNull(body)
		if !isAny(t) && !isNumeric(t) && !isNever(t) {
			return p.fail(CodeWrongArgument, body.at, "", "sum adds numbers, and this is %s", Describe(body.t))
		}
		if t.Kind == spec.Int || isNever(t) {
			return typed{t: Int()}
		}
		return typed{t: Number()}
	case "groupBy":
		return typed{t: mapOf(listOf(p.item))}
	case "sortBy":
		p.order()
		return typed{t: listOf(p.item), origin: p.list.origin, shuffled: true}
	}
	return p.noFunction(p.n.Name, extentOf(p.n))
}

// order checks the direction that items are sorted in.
func (p *predicateCheck) order() {
	if len(p.n.Arguments) < 3 {
		return
	}
	v := p.operand(p.n.Arguments[2])
	t := p.nonNull(v)
	if s, ok := p.n.Arguments[2].(*ast.StringNode); ok && s.Value != "asc" && s.Value != "desc" || !isAny(t) && !isString(t) {
		p.fail(CodeWrongArgument, v.at, "", "the order is \"asc\" or \"desc\"")
	}
}

// general is a type without the literals that it is made of: what a variable
// that begins with such a value may come to be.
func general(t *spec.Type, named spec.Types) *spec.Type {
	r := resolve(t, named)
	switch {
	case isTime(r):
		return t
	case len(r.Enum) > 0:
		return &spec.Type{Kind: r.Kind, Nullable: r.Nullable}
	case r.Kind == spec.List && r.MaxLen != nil, isEmptyObject(r), isNull(r):
		return Any()
	default:
		return t
	}
}

// refined is an item whose named members are known to be there.
func refined(item *spec.Type, facts []string, named spec.Types) *spec.Type {
	for _, fact := range facts {
		item = present(item, named)
		name, _, _ := strings.Cut(fact, "\x00")
		r := resolve(item, named)
		p := r.Field(name)
		if name == "" || r.Kind != spec.Object || p == nil {
			continue
		}
		c := *r
		c.Fields = slices.Clone(r.Fields)
		q := *p
		q.Required, q.Type = true, present(p.Type, named)
		setField(&c, &q)
		item = &c
	}
	return item
}
