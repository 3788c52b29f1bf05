package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
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
		out.t = types.Join(body.t, acc, c.types)
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
	case types.IsAny(t):
		p.trust(p.list.at)
		return types.Any()
	case t.Kind == spec.List:
		return types.Elem(t)
	case t.Kind == spec.Map || t.Kind == spec.Object:
		p.fail(CodeWrongArgument, p.list.at, "Go over values("+p.text(p.list.at)+"), keys(…) or toPairs(…).", "%s goes over a list, and this is %s", p.n.Name, types.Describe(p.list.t))
	default:
		p.fail(CodeWrongArgument, p.list.at, "", "%s goes over a list, and this is %s", p.n.Name, types.Describe(p.list.t))
	}
	return types.Any()
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
		return typed{t: types.Bool()}
	case "count":
		return typed{t: types.Int()}
	case "filter":
		return typed{t: types.ListOf(refined(p.item, facts, p.types)), origin: p.list.origin, shuffled: true}
	case "find", "findLast":
		return typed{t: types.Nullable(refined(p.item, facts, p.types)), origin: extend(p.list.origin, "*")}
	case "findIndex", "findLastIndex":
		return typed{t: types.Nullable(types.Int())}
	case "map":
		return typed{t: types.ListOf(body.t)}
	case "sum":
		t := p.nonNull(body)
		if !types.IsAny(t) && !types.IsNumeric(t) && !types.IsNever(t) {
			return p.fail(CodeWrongArgument, body.at, "", "sum adds numbers, and this is %s", types.Describe(body.t))
		}
		if t.Kind == spec.Int || types.IsNever(t) {
			return typed{t: types.Int()}
		}
		return typed{t: types.Number()}
	case "groupBy":
		return typed{t: types.MapOf(types.ListOf(p.item))}
	case "sortBy":
		p.order()
		return typed{t: types.ListOf(p.item), origin: p.list.origin, shuffled: true}
	}
	return p.noFunction(p.n.Name, parse.ExtentOf(p.n))
}

// order checks the direction that items are sorted in.
func (p *predicateCheck) order() {
	if len(p.n.Arguments) < 3 {
		return
	}
	v := p.operand(p.n.Arguments[2])
	t := p.nonNull(v)
	if s, ok := p.n.Arguments[2].(*ast.StringNode); ok && s.Value != "asc" && s.Value != "desc" || !types.IsAny(t) && !types.IsString(t) {
		p.fail(CodeWrongArgument, v.at, "", "the order is \"asc\" or \"desc\"")
	}
}

// general is a type without the literals that it is made of: what a variable
// that begins with such a value may come to be.
func general(t *spec.Type, named spec.Types) *spec.Type {
	r := types.Resolve(t, named)
	switch {
	case types.IsTime(r):
		return t
	case len(r.Enum) > 0:
		return &spec.Type{Kind: r.Kind, Nullable: r.Nullable}
	case r.Kind == spec.List && r.MaxLen != nil, types.IsEmptyObject(r), types.IsNull(r):
		return types.Any()
	default:
		return t
	}
}

// refined is an item whose named members are known to be there.
func refined(item *spec.Type, facts []string, named spec.Types) *spec.Type {
	for _, fact := range facts {
		item = types.Present(item, named)
		name, _, _ := strings.Cut(fact, "\x00")
		r := types.Resolve(item, named)
		p := r.Field(name)
		if name == "" || r.Kind != spec.Object || p == nil {
			continue
		}
		c := *r
		c.Fields = slices.Clone(r.Fields)
		q := *p
		q.Required, q.Type = true, types.Present(p.Type, named)
		setField(&c, &q)
		item = &c
	}
	return item
}
