package check

import (
	"encoding/json"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

func (c *checker) checkUnary(n *ast.UnaryNode) TypedPart {
	v := c.checkOperand(n.Node)
	if n.Operator == "!" || n.Operator == "not" {
		c.requireBool(v, "the operand of "+n.Operator)
		return TypedPart{T: types.Bool()}
	}
	t := c.NonNull(v)
	switch {
	case types.IsAny(t):
		return TypedPart{T: types.Number()}
	case !types.IsNumeric(t):
		return c.Fail(types.CodeTypeMismatch, v.At, numberRemedy(v.T), "%s requires a number, got %s", n.Operator, types.Describe(v.T))
	}
	if i, ok := n.Node.(*ast.IntegerNode); ok && n.Operator == "-" {
		return TypedPart{T: types.IntLiteral(-i.Value)}
	}
	if f, ok := n.Node.(*ast.FloatNode); ok && n.Operator == "-" {
		return TypedPart{T: types.Literal(spec.Number, json.Number(types.NumberText(-f.Value)))}
	}
	return TypedPart{T: &spec.Type{Kind: t.Kind}}
}

// binaryCheck checks one operator. Its two sides are already checked.
type binaryCheck struct {
	*checker
	n    *ast.BinaryNode
	l, r TypedPart
}

func (c *checker) checkBinary(n *ast.BinaryNode) TypedPart {
	b := binaryCheck{checker: c, n: n}
	switch n.Operator {
	case "&&", "and", "||", "or":
		return c.checkLogical(n)
	case "??":
		return c.checkCoalesce(n)
	case "==", "!=":
		b.l, b.r = c.checkSide(n.Left, n.Right), c.checkSide(n.Right, n.Left)
	default:
		b.l, b.r = c.checkOperand(n.Left), c.checkOperand(n.Right)
	}
	out := TypedPart{T: types.Bool(), At: b.l.At.Join(b.r.At)}
	switch n.Operator {
	case "==", "!=":
		b.checkEquality()
	case "<", ">", "<=", ">=":
		b.checkOrder()
	case "in":
		b.checkMembership()
	case "matches":
		b.requireStrings()
		c.checkPattern(n.Right, b.r.At)
	case "contains", "startsWith", "endsWith":
		b.requireStrings()
	case "..":
		b.requireIntegers(c.NonNull(b.l), c.NonNull(b.r))
		out.T = types.ListOf(types.Int())
	default:
		out.T = b.arithmeticType()
	}
	return out
}

func (c *checker) checkLogical(n *ast.BinaryNode) TypedPart {
	if (translator{c}).reportChoiceOfWords(n) {
		return TypedPart{T: types.Any(), At: c.extents.Of(n)}
	}
	l := c.checkOperand(n.Left)
	if (translator{c}).reportDefault(n, l) {
		return TypedPart{T: types.Any(), At: l.At.Join(c.extents.Of(n.Right))}
	}
	c.requireBool(l, "the left operand of "+n.Operator)
	saved := c.facts
	c.facts = append(saved[:len(saved):len(saved)], c.factsWhen(n.Left, n.Operator == "&&" || n.Operator == "and")...)
	r := c.checkOperand(n.Right)
	c.facts = saved
	if (translator{c}).reportValueIf(n, l, r) {
		return TypedPart{T: types.Any(), At: l.At.Join(r.At)}
	}
	c.requireBool(r, "the right operand of "+n.Operator)
	return TypedPart{T: types.Bool(), At: l.At.Join(r.At)}
}

func (c *checker) checkCoalesce(n *ast.BinaryNode) TypedPart {
	l := c.checkOperand(n.Left)
	r := c.checkOperand(n.Right)
	at := l.At.Join(r.At)
	if types.IsAny(types.Resolve(l.T, c.Types)) {
		return TypedPart{T: types.Lossy(types.Any(), c.Types, l.T, r.T), At: at}
	}
	return TypedPart{T: types.Join(types.Present(l.T, c.Types), r.T, c.Types), At: at}
}

// arithmeticType returns the type of an arithmetic operation, such as a + b.
func (c *binaryCheck) arithmeticType() *spec.Type {
	a, b := c.NonNull(c.l), c.NonNull(c.r)
	if t := timeArithmeticType(c.n.Operator, a, b); t != nil {
		return t
	}
	if c.n.Operator == "+" && (types.IsString(a) || types.IsString(b) || types.IsAny(a) && types.IsAny(b)) {
		return c.concatenationType(a, b)
	}
	for i, t := range [...]*spec.Type{a, b} {
		if !types.IsAny(t) && !types.IsNumeric(t) {
			bad := [...]TypedPart{c.l, c.r}[i]
			return c.Fail(types.CodeTypeMismatch, bad.At, numberRemedy(bad.T), "%s requires numbers, got %s", c.n.Operator, types.Describe(bad.T)).T
		}
	}
	if isZero(c.n.Right) && (c.n.Operator == "/" || c.n.Operator == "%") {
		return c.Fail(CodeConstantFails, c.r.At, "", "division by zero").T
	}
	switch {
	case c.n.Operator == "%":
		c.requireIntegers(a, b)
		return types.Int()
	case c.n.Operator == "/" || c.n.Operator == "**" || c.n.Operator == "^":
		return types.Number()
	case a.Kind == spec.Int && b.Kind == spec.Int:
		return types.Int()
	default:
		return types.Number()
	}
}

// concatenationType returns the type of a + b if one operand is a string, or both may
// have any type.
func (c *binaryCheck) concatenationType(a, b *spec.Type) *spec.Type {
	var bad TypedPart
	switch {
	case types.IsAny(a) && types.IsAny(b):
		return types.Any()
	case !types.IsString(a) && !types.IsAny(a):
		bad = c.l
	case !types.IsString(b) && !types.IsAny(b):
		bad = c.r
	default:
		return types.String()
	}
	return c.Fail(types.CodeTypeMismatch, bad.At, "Convert it with string(…), or write a template with ${…}.",
		"+ requires two strings, got %s", types.Describe(bad.T)).T
}

// timeArithmeticType returns the type of an operation on times and durations, or nil for
// other types.
func timeArithmeticType(op string, a, b *spec.Type) *spec.Type {
	switch {
	case op == "-" && a.Ref == types.TimeRef && b.Ref == types.TimeRef:
		return types.Duration()
	case (op == "-" || op == "+") && a.Ref == types.TimeRef && b.Ref == types.DurationRef, op == "+" && a.Ref == types.DurationRef && b.Ref == types.TimeRef:
		return types.Time()
	case (op == "-" || op == "+") && a.Ref == types.DurationRef && b.Ref == types.DurationRef:
		return types.Duration()
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

// requireIntegers checks that both sides, which are not null, are whole numbers.
func (c *binaryCheck) requireIntegers(a, b *spec.Type) {
	for i, t := range [...]*spec.Type{a, b} {
		if v := [...]TypedPart{c.l, c.r}[i]; !types.IsAny(t) && (t.Kind != spec.Int || types.IsTime(t)) {
			c.Fail(types.CodeTypeMismatch, v.At, "Round it with int(…).", "%s requires whole numbers, got %s", c.n.Operator, types.Describe(v.T))
		}
	}
}

func (c *binaryCheck) requireStrings() {
	for _, v := range [...]TypedPart{c.l, c.r} {
		if t := c.NonNull(v); !types.IsAny(t) && !types.IsString(t) {
			c.Fail(types.CodeTypeMismatch, v.At, "Convert it with string(…).", "%s requires strings, got %s", c.n.Operator, types.Describe(v.T))
		}
	}
}

func (c *binaryCheck) checkOrder() {
	a, b := c.NonNull(c.l), c.NonNull(c.r)
	switch {
	case types.IsAny(a) || types.IsAny(b):
	case types.IsNumeric(a) && types.IsNumeric(b), types.IsString(a) && types.IsString(b):
	case types.IsTime(a) && a.Ref == b.Ref:
	default:
		c.Fail(types.CodeTypeMismatch, c.l.At.Join(c.r.At), "Compare two numbers, two strings or two times.",
			"%s cannot order %s and %s", c.n.Operator, types.Describe(c.l.T), types.Describe(c.r.T))
	}
}

// mayLack reports whether a node is a member of a value that may lack required members.
func mayLack(c *checker, n ast.Node) bool {
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return false
	}
	id, ok := m.Node.(*ast.IdentifierNode)
	if !ok {
		return false
	}
	of := c.scope.Find(id.Value)
	return of != nil && of.MayLack
}

// checkEquality reports comparisons whose result is always the same.
func (c *binaryCheck) checkEquality() {
	l, r := c.l, c.r
	a, b := types.Resolve(l.T, c.Types), types.Resolve(r.T, c.Types)
	at := l.At.Join(r.At)
	always := map[string]string{"==": "false", "!=": "true"}[c.n.Operator]
	if types.IsNull(a) || types.IsNull(b) {
		other, v, node := b, r, c.n.Right
		if types.IsNull(b) {
			other, v, node = a, l, c.n.Left
		}
		if !types.IsAny(other) && !types.MayBeNull(other, c.Types) && !mayLack(c.checker, node) {
			c.report(diag.Warning, CodeNeverEqual, at, "Remove the comparison.", "%s is never null, so this is always %s", c.Text(v.At), always)
		}
		return
	}
	if types.IsAny(a) || types.IsAny(b) || types.MayBeNull(a, c.Types) && types.MayBeNull(b, c.Types) {
		return
	}
	if !mayEqual(a, b) {
		c.Fail(CodeNeverEqual, at, "Convert both to one type: string(…), int(…), float(…).",
			"%s and %s are never equal, so this is always %s", types.Describe(types.Present(l.T, c.Types)), types.Describe(types.Present(r.T, c.Types)), always)
		return
	}
	if parse.IsLiteral(c.n.Left) || types.Literals(b) == nil {
		l, r = r, l
	}
	if lit := types.Literals(types.Resolve(r.T, c.Types)); lit != nil && !c.anyFits(lit, l.T) {
		c.reportNeverEqual(r.At, lit, l, always)
	}
}

// reportNeverEqual reports literals that the other side can never equal.
func (c *binaryCheck) reportNeverEqual(at parse.Extent, lit []any, other TypedPart, always string) {
	t := types.Resolve(other.T, c.Types)
	detail, meant := "Its type is "+types.Describe(types.Present(other.T, c.Types))+".", ""
	s, ok := lit[0].(string)
	if ok && len(t.Enum) > 0 {
		if meant = diag.DidYouMean(s, stringsOf(t.Enum)); meant != "" {
			detail = diag.Remedy(s, stringsOf(t.Enum)) + " " + detail
		}
	}
	severity := diag.Error
	if always == "true" && meant == "" { // the comparison is only superfluous
		severity, detail = diag.Warning, "Its type excludes that already. Remove the comparison."
	}
	c.report(severity, CodeNeverEqual, at, detail, "%s is never %s, so this is always %s", c.Text(other.At), types.OneOf(lit), always)
	if meant != "" {
		c.last().Replace(s, meant)
	}
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

// anyFits reports whether any of the literals can be a value of a type.
func (c *binaryCheck) anyFits(lit []any, t *spec.Type) bool {
	return slices.ContainsFunc(lit, func(v any) bool { return v == nil || types.Fits(v, widen(t, c.Types), c.Types) == nil })
}

// widen returns a type for comparisons, in which ints are numbers because 1.0
// equals 1.
func widen(t *spec.Type, named spec.Types) *spec.Type {
	r := types.Resolve(t, named)
	if r.Kind != spec.Int || types.IsTime(r) {
		return t
	}
	w := *r
	w.Kind = spec.Number
	return &w
}

// mayEqual reports whether values of two types can be equal, judging by their kinds.
func mayEqual(a, b *spec.Type) bool {
	if types.IsTime(a) || types.IsTime(b) {
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
	return a.Kind == spec.Union || b.Kind == spec.Union || types.IsAny(a) || types.IsAny(b) || class(a) == class(b)
}

func (c *binaryCheck) checkMembership() {
	t := c.NonNull(c.r)
	if c.mayHoldNull(t) {
		if c.nullMembers == nil {
			c.nullMembers = map[*ast.BinaryNode]bool{}
		}
		c.nullMembers[c.n] = true
	}
	key := types.Resolve(c.l.T, c.Types)
	switch {
	case types.IsAny(t):
	case t.Kind == spec.List:
		c.checkItems(t)
	case t.Kind == spec.Map || t.Kind == spec.Object:
		if k := c.NonNull(c.l); !types.IsAny(k) && !types.IsString(k) {
			c.Fail(types.CodeTypeMismatch, c.l.At, "", "a key must be a string, got %s", types.Describe(c.l.T))
		} else if name, ok := c.n.Left.(*ast.StringNode); ok && t.Kind == spec.Map {
			c.CheckKey(c.l.At, t, name.Value)
		} else if ok {
			if _, ok := types.Member(t, name.Value); !ok {
				c.FailMeaning(CodeNeverEqual, c.l.At, name.Value, t.FieldNames(), "%s never has a member %q", c.Text(c.r.At), name.Value)
			}
		}
	case types.IsString(t) && types.IsString(key):
		c.Fail(types.CodeTypeMismatch, c.r.At, "Write it as "+c.Text(c.r.At)+" contains "+c.Text(c.l.At)+".", "in requires a list or a map, got %s", types.Describe(c.r.T))
	case t.Kind != spec.Union:
		c.Fail(types.CodeTypeMismatch, c.r.At, "", "in requires a list or a map, got %s", types.Describe(c.r.T))
	}
}

// mayHoldNull reports whether the searched member can be present and null.
func (c *binaryCheck) mayHoldNull(t *spec.Type) bool {
	name, ok := c.n.Left.(*ast.StringNode)
	switch {
	case !ok:
		return false
	case t.Kind == spec.Map:
		return types.MayBeNull(types.Elem(t), c.Types)
	case t.Kind == spec.Object && t.Field(name.Value) != nil:
		return types.MayBeNull(t.Field(name.Value).Type, c.Types)
	default:
		return true
	}
}

// checkItems checks `x in list`. It reports literals of the list that x can never
// equal, and a literal x that no item can equal.
func (c *binaryCheck) checkItems(list *spec.Type) {
	a, b := types.Resolve(c.l.T, c.Types), types.Resolve(types.Elem(list), c.Types)
	if types.IsNever(b) || types.IsAny(a) || types.IsAny(b) || types.IsNull(a) {
		return
	}
	if !mayEqual(a, b) {
		c.Fail(CodeNeverEqual, c.l.At.Join(c.r.At), "", "%s is never among %s", types.Describe(types.Present(c.l.T, c.Types)), types.Describe(c.r.T))
		return
	}
	if items, ok := c.n.Right.(*ast.ArrayNode); ok {
		for _, it := range items.Nodes {
			if v := parse.LiteralOf(it); v != nil && !c.anyFits([]any{v}, c.l.T) {
				c.reportNeverEqual(c.extents.Of(it), []any{v}, c.l, "false")
			}
		}
		return
	}
	if lit := types.Literals(a); lit != nil && !c.anyFits(lit, b) {
		c.Fail(CodeNeverEqual, c.l.At, "Its items are "+types.Describe(b)+".", "%s is never among %s", types.OneOf(lit), c.Text(c.r.At))
	}
}
