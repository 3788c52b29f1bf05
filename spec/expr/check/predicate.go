package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// predicateCheck checks a call of a function with a predicate.
type predicateCheck struct {
	*checker
	n    *ast.BuiltinNode
	list TypedPart
	// item is the type of the list's items.
	item *spec.Type
}

// checkBuiltin checks a function with a predicate.
func (c *checker) checkBuiltin(n *ast.BuiltinNode) TypedPart {
	p := predicateCheck{checker: c, n: n, list: c.check(n.Arguments[0])}
	before := len(c.refs)
	p.item = p.itemType()
	var facts []string
	var acc *spec.Type // of reduce: the type of #acc
	if n.Name == "reduce" {
		acc = withoutLiterals(p.item, c.Types)
		if len(n.Arguments) > 2 {
			acc = withoutLiterals(c.checkOperand(n.Arguments[2]).T, c.Types)
		}
	}
	body := TypedPart{T: p.item, At: p.list.At}
	if len(n.Arguments) > 1 {
		var mapped TypedPart
		mapped, facts = p.checkBody(acc)
		body = TypedPart{T: mapped.T, At: mapped.At}
	}
	var out TypedPart
	if n.Name == "reduce" {
		out.T = types.Join(body.T, acc, c.Types)
	} else {
		out = p.resultOf(body, facts)
	}
	switch {
	case out.Origin != nil:
	case p.list.Origin != nil && !c.refersTo(before, append(slices.Clip(p.list.Origin), "*")):
		c.use(p.list)
	case n.Name == "sum" && len(n.Arguments) < 2, n.Name == "reduce", n.Name == "groupBy":
		c.use(p.list)
	}
	return out
}

// itemType returns the type of the items of the list.
func (p *predicateCheck) itemType() *spec.Type {
	if p.n.Name == parse.MapValues {
		return p.valueType(p.nonNull(p.list, types.MapOf(types.Any())))
	}
	t := p.nonNull(p.list, types.ListOf(types.Any()))
	switch {
	case types.IsAny(t):
		p.Trust(p.list.At)
		return types.Any()
	case t.Kind == spec.List:
		return types.Elem(t)
	case t.Kind == spec.Map || t.Kind == spec.Object:
		p.Fail(CodeWrongArgument, p.list.At, "Use values("+p.Text(p.list.At)+"), keys(…) or toPairs(…).", "%s requires a list, got %s", p.n.Name, types.Describe(p.list.T))
	default:
		p.Fail(CodeWrongArgument, p.list.At, "", "%s requires a list, got %s", p.n.Name, types.Describe(p.list.T))
	}
	return types.Any()
}

// valueType returns the type of the values of the map or struct that mapValues is called with.
func (p *predicateCheck) valueType(t *spec.Type) *spec.Type {
	switch {
	case types.IsAny(t):
		p.Trust(p.list.At)
	case t.Kind != spec.Map && t.Kind != spec.Object:
		p.Fail(CodeWrongArgument, p.list.At, "For a list, use map(…).", "%s requires a map or a struct, got %s", p.n.Name, types.Describe(p.list.T))
		return types.Any()
	}
	return types.Values(t, p.Types)
}

// mapped returns the type of a map or struct with other values.
func (p *predicateCheck) mapped(value *spec.Type) *spec.Type {
	t := types.Resolve(p.list.T, p.Types)
	if t.Kind != spec.Object || t.Open {
		return types.MapOf(value)
	}
	out := &spec.Type{Kind: spec.Object}
	for _, f := range t.Fields {
		out.Fields = append(out.Fields, &spec.Property{Name: f.Name, Type: value, Required: !f.Optional(), Wire: f.Wire, WireParents: f.WireParents, WireItem: f.WireItem})
	}
	return out
}

// checkBody checks the body of the predicate, in which `#` is an item of the list. It
// returns the parts of the item that are not null if the predicate is true. acc is the type of #acc in
// reduce, otherwise nil.
func (p *predicateCheck) checkBody(acc *spec.Type) (body TypedPart, facts []string) {
	n := p.n.Arguments[1]
	if predicate, ok := n.(*ast.PredicateNode); ok {
		n = predicate.Node
	}
	each := TypedPart{T: p.item, Origin: Extend(p.list.Origin, "*")}
	keyed := p.n.Name == parse.MapValues
	if keyed {
		each.Origin = nil // the whole map counts as used
	}
	p.items = append(p.items, item{each, acc, keyed})
	saved := p.facts
	body = p.checkOperand(n)
	key := "#" + strconv.Itoa(len(p.items))
	for _, fact := range p.factsWhen(n, true) {
		if fact == key || strings.HasPrefix(fact, key+"\x00") {
			facts = append(facts, strings.TrimPrefix(strings.TrimPrefix(fact, key), "\x00"))
		}
	}
	p.facts = saved
	p.items = p.items[:len(p.items)-1]
	return body, facts
}

// resultOf returns the result of the function.
func (p *predicateCheck) resultOf(body TypedPart, facts []string) TypedPart {
	switch p.n.Name {
	case "all", "any", "none", "one", "count", "filter", "find", "findLast", "findIndex", "findLastIndex":
		p.requireBool(body, "the predicate")
	case "groupBy", "sortBy":
		p.Sortable(p.n.Name, body)
	}
	switch p.n.Name {
	case "all", "any", "none", "one":
		return TypedPart{T: types.Bool()}
	case "count":
		return TypedPart{T: types.Int()}
	case "filter":
		return TypedPart{T: types.ListOf(refine(p.item, facts, p.Types)), Origin: p.list.Origin, Shuffled: true}
	case "find", "findLast":
		return TypedPart{T: types.Nullable(refine(p.item, facts, p.Types)), Origin: Extend(p.list.Origin, "*")}
	case "findIndex", "findLastIndex":
		return TypedPart{T: types.Nullable(types.Int())}
	case "map":
		return TypedPart{T: types.ListOf(body.T)}
	case parse.MapValues:
		return TypedPart{T: p.mapped(body.T)}
	case "sum":
		t := p.NonNull(body)
		if !types.IsAny(t) && !types.IsNumeric(t) && !types.IsNever(t) {
			return p.Fail(CodeWrongArgument, body.At, "", "sum requires numbers, got %s", types.Describe(body.T))
		}
		if t.Kind == spec.Int || types.IsNever(t) {
			return TypedPart{T: types.Int()}
		}
		return TypedPart{T: types.Number()}
	case "groupBy":
		return TypedPart{T: types.MapOf(types.ListOf(p.item))}
	case "sortBy":
		p.checkOrder()
		return TypedPart{T: types.ListOf(p.item), Origin: p.list.Origin, Shuffled: true}
	}
	return p.reportUnknownFunction(p.n.Name, parse.ExtentOf(p.n))
}

// checkOrder checks the sort direction.
func (p *predicateCheck) checkOrder() {
	if len(p.n.Arguments) < 3 {
		return
	}
	v := p.checkOperand(p.n.Arguments[2])
	t := p.NonNull(v)
	if s, ok := p.n.Arguments[2].(*ast.StringNode); ok && s.Value != "asc" && s.Value != "desc" || !types.IsAny(t) && !types.IsString(t) {
		p.Fail(CodeWrongArgument, v.At, "", "the order must be \"asc\" or \"desc\"")
	}
}

// withoutLiterals returns a type without its literals. It is the type of an accumulator whose
// initial value has type t.
func withoutLiterals(t *spec.Type, named spec.Types) *spec.Type {
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

// refine returns the type of an item some of whose members are known not to be null.
func refine(item *spec.Type, facts []string, named spec.Types) *spec.Type {
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
		SetField(&c, &q)
		item = &c
	}
	return item
}
