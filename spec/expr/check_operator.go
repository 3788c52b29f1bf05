package expr

import (
	"encoding/json"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

func (c *checker) unary(n *ast.UnaryNode) typed {
	v := c.operand(n.Node)
	if n.Operator == "!" || n.Operator == "not" {
		c.wantBool(v, "what is negated")
		return typed{t: static().bool}
	}
	t := c.nonNull(v)
	switch {
	case isAny(t):
		return typed{t: static().number}
	case !isNumeric(t):
		return c.fail(CodeTypeMismatch, v.at, numberRemedy(v.t), "%s needs a number, and this is %s", n.Operator, Describe(v.t))
	}
	if i, ok := n.Node.(*ast.IntegerNode); ok && n.Operator == "-" {
		return typed{t: intLiteral(-i.Value)}
	}
	if f, ok := n.Node.(*ast.FloatNode); ok && n.Operator == "-" {
		return typed{t: literal(spec.Number, json.Number(numberText(-f.Value)))}
	}
	return typed{t: &spec.Type{Kind: t.Kind}}
}

func (c *checker) binary(n *ast.BinaryNode) typed {
	switch n.Operator {
	case "&&", "and", "||", "or":
		return c.logical(n)
	case "??":
		return c.coalesce(n)
	}
	if n.Operator == "==" || n.Operator == "!=" {
		l, r := c.side(n.Left, n.Right), c.side(n.Right, n.Left)
		c.equality(n, l, r)
		return typed{t: static().bool, at: l.at.join(r.at)}
	}
	l, r := c.operand(n.Left), c.operand(n.Right)
	at := l.at.join(r.at)
	out := typed{t: static().bool, at: at}
	switch n.Operator {
	case "<", ">", "<=", ">=":
		c.order(n, l, r)
	case "in":
		c.membership(n, l, r)
	case "matches":
		c.texts(n, l, r)
		c.pattern(n.Right, r.at)
	case "contains", "startsWith", "endsWith":
		c.texts(n, l, r)
	case "..":
		c.integers(n, l, r, c.nonNull(l), c.nonNull(r))
		out.t = listOf(static().int)
	default:
		out.t = c.arithmetic(n, l, r)
	}
	return out
}

func (c *checker) logical(n *ast.BinaryNode) typed {
	l := c.operand(n.Left)
	c.wantBool(l, "the left of "+n.Operator)
	saved := c.facts
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Left, n.Operator == "&&" || n.Operator == "and")...)
	r := c.operand(n.Right)
	c.wantBool(r, "the right of "+n.Operator)
	c.facts = saved
	return typed{t: static().bool, at: l.at.join(r.at)}
}

func (c *checker) coalesce(n *ast.BinaryNode) typed {
	l := c.operand(n.Left)
	r := c.operand(n.Right)
	at := l.at.join(r.at)
	if isAny(resolve(l.t, c.types)) {
		return typed{t: static().any, at: at}
	}
	return typed{t: join(present(l.t, c.types), r.t, c.types), at: at}
}

// arithmetic is the type of a + b, and of its kin.
func (c *checker) arithmetic(n *ast.BinaryNode, l, r typed) *spec.Type {
	s := static()
	a, b := c.nonNull(l), c.nonNull(r)
	if t := timeArithmetic(n.Operator, a, b); t != nil {
		return t
	}
	if n.Operator == "+" {
		switch {
		case isString(a) && (isString(b) || isAny(b)), isAny(a) && isString(b):
			return s.string
		case isAny(a) && isAny(b):
			return s.any
		case isString(a) || isString(b):
			bad := r
			if isString(b) {
				bad = l
			}
			return c.fail(CodeTypeMismatch, bad.at, "Turn it into text with string(…), or write text with ${…} in it.",
				"+ joins two strings, and this is %s", Describe(bad.t)).t
		}
	}
	for i, t := range [...]*spec.Type{a, b} {
		if !isAny(t) && !isNumeric(t) {
			bad := [...]typed{l, r}[i]
			return c.fail(CodeTypeMismatch, bad.at, numberRemedy(bad.t), "%s needs numbers, and this is %s", n.Operator, Describe(bad.t)).t
		}
	}
	if isZero(n.Right) && (n.Operator == "/" || n.Operator == "%") {
		return c.fail(CodeConstantFails, r.at, "", "this divides by zero").t
	}
	switch {
	case n.Operator == "%":
		c.integers(n, l, r, a, b)
		return s.int
	case n.Operator == "/" || n.Operator == "**" || n.Operator == "^":
		return s.number
	case a.Kind == spec.Int && b.Kind == spec.Int:
		return s.int
	default:
		return s.number
	}
}

// timeArithmetic is the type of sums with times in them, nil where there is
// none.
func timeArithmetic(op string, a, b *spec.Type) *spec.Type {
	s := static()
	switch {
	case op == "-" && a.Ref == timeRef && b.Ref == timeRef:
		return s.duration
	case (op == "-" || op == "+") && a.Ref == timeRef && b.Ref == durationRef, op == "+" && a.Ref == durationRef && b.Ref == timeRef:
		return s.time
	case (op == "-" || op == "+") && a.Ref == durationRef && b.Ref == durationRef:
		return s.duration
	default:
		return nil
	}
}

func isZero(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return n.Value == 0
	case *ast.FloatNode:
		return n.Value == 0
	default:
		return false
	}
}

// integers checks that both sides, of types that are not null, are whole.
func (c *checker) integers(n *ast.BinaryNode, l, r typed, a, b *spec.Type) {
	for i, t := range [...]*spec.Type{a, b} {
		if v := [...]typed{l, r}[i]; !isAny(t) && (t.Kind != spec.Int || isTime(t)) {
			c.fail(CodeTypeMismatch, v.at, "Round it with int(…).", "%s needs whole numbers, and this is %s", n.Operator, Describe(v.t))
		}
	}
}

func (c *checker) texts(n *ast.BinaryNode, sides ...typed) {
	for _, v := range sides {
		if t := c.nonNull(v); !isAny(t) && !isString(t) {
			c.fail(CodeTypeMismatch, v.at, "Turn it into text with string(…).", "%s needs strings, and this is %s", n.Operator, Describe(v.t))
		}
	}
}

// pattern checks a literal regular expression.
func (c *checker) pattern(n ast.Node, at extent) {
	if s, ok := n.(*ast.StringNode); ok {
		if _, err := pattern(s.Value); err != nil {
			c.fail(CodeBadRegexp, at, "The syntax is RE2, as in Go. In \"…\" a backslash is written twice; in `…` once.", "this is no regular expression: %v", err)
		}
	}
}

func (c *checker) order(n *ast.BinaryNode, l, r typed) {
	a, b := c.nonNull(l), c.nonNull(r)
	switch {
	case isAny(a) || isAny(b):
	case isNumeric(a) && isNumeric(b), isString(a) && isString(b):
	case isTime(a) && a.Ref == b.Ref:
	default:
		c.fail(CodeTypeMismatch, l.at.join(r.at), "Two numbers, two strings or two times can be put in order.",
			"%s cannot order %s and %s", n.Operator, Describe(l.t), Describe(r.t))
	}
}

// equality finds comparisons that come out the same always.
func (c *checker) equality(n *ast.BinaryNode, l, r typed) {
	a, b := resolve(l.t, c.types), resolve(r.t, c.types)
	at := l.at.join(r.at)
	always := map[string]string{"==": "false", "!=": "true"}[n.Operator]
	if isNull(a) || isNull(b) {
		other, v := b, r
		if isNull(b) {
			other, v = a, l
		}
		if !isAny(other) && !mayBeNull(other, c.types) {
			c.report(diag.Warning, CodeNeverEqual, at, "The comparison can go.", "%s is never null, so this is always %s", c.text(v.at), always)
		}
		return
	}
	if isAny(a) || isAny(b) || mayBeNull(a, c.types) && mayBeNull(b, c.types) {
		return
	}
	if !comparable(a, b) {
		c.fail(CodeNeverEqual, at, "Bring both to one type first: string(…), int(…), float(…).",
			"%s and %s are never equal, so this is always %s", Describe(present(l.t, c.types)), Describe(present(r.t, c.types)), always)
		return
	}
	if isLiteral(n.Left) || literals(b) == nil {
		l, r = r, l
	}
	if lit := literals(resolve(r.t, c.types)); lit != nil && !c.anyFits(lit, l.t) {
		c.neverEqual(r.at, lit, l, always)
	}
}

// neverEqual reports literals that the other side can never be.
func (c *checker) neverEqual(at extent, lit []any, other typed, always string) {
	t := resolve(other.t, c.types)
	detail := "It is " + Describe(present(other.t, c.types)) + "."
	if s, ok := lit[0].(string); ok && len(t.Enum) > 0 {
		if meant := diag.DidYouMean(s, stringsOf(t.Enum)); meant != "" {
			detail = diag.Remedy(s, stringsOf(t.Enum)) + " " + detail
		}
	}
	c.fail(CodeNeverEqual, at, detail, "%s is never %s, so this is always %s", c.text(other.at), oneOf(lit), always)
}

func stringsOf(values []any) []string {
	var out []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// anyFits reports whether any of the literals can be of a type.
func (c *checker) anyFits(lit []any, t *spec.Type) bool {
	return slices.ContainsFunc(lit, func(v any) bool { return v == nil || fits(v, widened(t, c.types), c.types, 0) == nil })
}

// widened is a type for comparisons: 1.0 equals 1.
func widened(t *spec.Type, types spec.Types) *spec.Type {
	r := resolve(t, types)
	if r.Kind != spec.Int || isTime(r) {
		return t
	}
	w := *r
	w.Kind = spec.Number
	return &w
}

// comparable reports whether values of two types can be equal as far as their
// kinds go.
func comparable(a, b *spec.Type) bool {
	if isTime(a) || isTime(b) {
		return a.Ref == b.Ref
	}
	class := func(t *spec.Type) spec.Kind {
		switch t.Kind {
		case spec.Number:
			return spec.Int
		case spec.Map:
			return spec.Object
		default:
			return t.Kind
		}
	}
	return a.Kind == spec.Union || b.Kind == spec.Union || isAny(a) || isAny(b) || class(a) == class(b)
}

func (c *checker) membership(n *ast.BinaryNode, l, r typed) {
	t := c.nonNull(r)
	if c.mayHoldNull(n, t) {
		if c.nullMembers == nil {
			c.nullMembers = map[*ast.BinaryNode]bool{}
		}
		c.nullMembers[n] = true
	}
	key := resolve(l.t, c.types)
	switch {
	case isAny(t):
	case t.Kind == spec.List:
		c.amongItems(n, l, r, t)
	case t.Kind == spec.Map || t.Kind == spec.Object:
		if k := c.nonNull(l); !isAny(k) && !isString(k) {
			c.fail(CodeTypeMismatch, l.at, "", "a key is a string, and this is %s", Describe(l.t))
		} else if name, ok := n.Left.(*ast.StringNode); ok && t.Kind == spec.Object {
			if _, ok := memberOf(t, name.Value, c.types); !ok {
				c.fail(CodeNeverEqual, l.at, diag.Remedy(name.Value, t.FieldNames()), "%s never has a member %q", c.text(r.at), name.Value)
			}
		}
	case isString(t) && isString(key):
		c.fail(CodeTypeMismatch, r.at, "Write it as "+c.text(r.at)+" contains "+c.text(l.at)+".", "in looks into lists and maps, and this is %s", Describe(r.t))
	case t.Kind != spec.Union:
		c.fail(CodeTypeMismatch, r.at, "", "in looks into lists and maps, and this is %s", Describe(r.t))
	}
}

// mayHoldNull reports whether the member that is looked for can be there and be
// null.
func (c *checker) mayHoldNull(n *ast.BinaryNode, t *spec.Type) bool {
	name, ok := n.Left.(*ast.StringNode)
	switch {
	case !ok:
		return false
	case t.Kind == spec.Map:
		return mayBeNull(elem(t), c.types)
	case t.Kind == spec.Object && t.Field(name.Value) != nil:
		return mayBeNull(t.Field(name.Value).Type, c.types)
	default:
		return true
	}
}

// amongItems checks `x in list`: literals of the list that x can never be, or a
// literal x that no item can be.
func (c *checker) amongItems(n *ast.BinaryNode, l, r typed, list *spec.Type) {
	a, b := resolve(l.t, c.types), resolve(elem(list), c.types)
	if isNever(b) || isAny(a) || isAny(b) || isNull(a) {
		return
	}
	if !comparable(a, b) {
		c.fail(CodeNeverEqual, l.at.join(r.at), "", "%s is never among %s", Describe(present(l.t, c.types)), Describe(r.t))
		return
	}
	if items, ok := n.Right.(*ast.ArrayNode); ok {
		for _, it := range items.Nodes {
			if v := literalOf(it); v != nil && !c.anyFits([]any{v}, l.t) {
				c.neverEqual(c.extents.of(it), []any{v}, l, "false")
			}
		}
		return
	}
	if lit := literals(a); lit != nil && !c.anyFits(lit, b) {
		c.fail(CodeNeverEqual, l.at, "Its items are "+Describe(b)+".", "%s is never among %s", oneOf(lit), c.text(r.at))
	}
}
