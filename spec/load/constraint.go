package load

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
)

// maxRegexp bounds a regular expression; RE2 is linear in the text, times this.
const maxRegexp = 1024

// plain is a concrete value in Go's terms, as spec.Type's literals are.
func plain(v cue.Value) any {
	if d, ok := v.Default(); ok {
		v = d
	}
	switch v.Kind() {
	case cue.BoolKind:
		b, _ := v.Bool()
		return b
	case cue.StringKind:
		s, _ := v.String()
		return s
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		text, _ := v.MarshalJSON()
		return json.Number(text)
	case cue.ListKind:
		list := []any{}
		for it, err := v.List(); err == nil && it.Next(); {
			list = append(list, plain(it.Value()))
		}
		return list
	case cue.StructKind:
		m := map[string]any{}
		for it, err := v.Fields(); err == nil && it.Next(); {
			m[it.Selector().Unquoted()] = plain(it.Value())
		}
		return m
	default:
		return nil
	}
}

// bound is `>=1`, `!="x"`, `=~"^a"`.
func (l *loader) bound(it item, op cue.Op, args []cue.Value, s site) *spec.Type {
	t := &spec.Type{}
	if len(args) != 1 || !args[0].IsConcrete() {
		l.report(crossField, it.at, s.place, "a bound must be a literal", "A rule over several inputs is a check: checks: [{assert: \"${inputs.min <= inputs.max}\", message: \"…\"}].")
		return t
	}
	value := plain(args[0])
	switch value.(type) {
	case json.Number:
		t.Kind = spec.Number
	case string:
		t.Kind = spec.String
	case nil:
	default:
		l.report(unsupportedType, it.at, s.place, "only numbers and text have bounds", "")
		return t
	}
	switch op {
	case cue.LessThanOp, cue.LessThanEqualOp:
		t.Max = &spec.Bound{Value: value, Exclusive: op == cue.LessThanOp}
	case cue.GreaterThanOp, cue.GreaterThanEqualOp:
		t.Min = &spec.Bound{Value: value, Exclusive: op == cue.GreaterThanOp}
	case cue.NotEqualOp:
		if value == nil {
			return t // not null: what no type allows without `null |` anyhow
		}
		t.Not = []any{value}
		if t.Kind == spec.Number {
			t.Kind = spec.Any
		}
	case cue.RegexMatchOp, cue.NotRegexMatchOp:
		l.pattern(it, t, value, op == cue.NotRegexMatchOp, s)
	}
	return t
}

// pattern adds a regular expression.
func (l *loader) pattern(it item, t *spec.Type, value any, negated bool, s site) {
	text, ok := value.(string)
	if !ok {
		l.report(badRegexp, it.at, s.place, "a regular expression is text", "")
		return
	}
	if len(text) > maxRegexp {
		l.report(badRegexp, it.at, s.place, fmt.Sprintf("the regular expression is longer than %d bytes", maxRegexp), "")
		return
	}
	if _, err := regexp.Compile(text); err != nil {
		l.report(badRegexp, it.at, s.place, err.Error(), "Regular expressions are RE2's: no backreferences, no look-ahead.")
		return
	}
	t.Patterns = []spec.Pattern{{Regexp: text, Negated: negated}}
}

// validator is a call such as strings.MinRunes(2).
func (l *loader) validator(it item, v cue.Value, args []cue.Value, s site) *spec.Type {
	name := libraryValue(it)
	if name == "" {
		name = callName(it.expr, v, args)
	}
	if v.IsConcrete() && v.Err() == nil { // a function that was evaluated
		return l.plainType(it, v, s)
	}
	var n int64
	var err error
	if len(args) > 1 {
		n, err = args[1].Int64()
	}
	count := func() int { return int(min(max(n, 0), 1<<31-1)) }
	limit := func() *int { c := count(); return &c }
	numeric := err == nil && len(args) > 1
	switch {
	case name == "list.UniqueItems":
		return &spec.Type{Kind: spec.List, Unique: true}
	case !numeric && knownValidators[name]:
		if name == "math.MultipleOf" && len(args) > 1 && args[1].IsConcrete() {
			return &spec.Type{Kind: spec.Number, MultipleOf: fmt.Sprint(plain(args[1]))}
		}
		l.report(crossField, it.at, s.place, name+" takes a literal number", "")
	case name == "strings.MinRunes":
		return &spec.Type{Kind: spec.String, MinLen: count()}
	case name == "strings.MaxRunes":
		return &spec.Type{Kind: spec.String, MaxLen: limit()}
	case name == "list.MinItems":
		return &spec.Type{Kind: spec.List, MinLen: count()}
	case name == "list.MaxItems":
		return &spec.Type{Kind: spec.List, MaxLen: limit()}
	case name == "struct.MinFields":
		return &spec.Type{Kind: spec.Map, MinLen: count()}
	case name == "struct.MaxFields":
		return &spec.Type{Kind: spec.Map, MaxLen: limit()}
	case name == "math.MultipleOf":
		return &spec.Type{Kind: spec.Number, MultipleOf: strconv.FormatInt(n, 10)}
	default:
		if l.broken(it, s.place) {
			break
		}
		l.report(unsupportedType, it.at, s.place, fmt.Sprintf("%s cannot be part of a property's type", name),
			"Known are strings.MinRunes and MaxRunes, list.MinItems, MaxItems and UniqueItems, struct.MinFields and MaxFields, math.MultipleOf. For other rules, use a regular expression (=~) or checks: […].")
	}
	return &spec.Type{}
}

var knownValidators = map[string]bool{
	"strings.MinRunes": true, "strings.MaxRunes": true, "list.MinItems": true, "list.MaxItems": true,
	"struct.MinFields": true, "struct.MaxFields": true, "math.MultipleOf": true,
}

// libraryValue is the name of a validator of CUE's library that is used without
// a call, such as net.IPv4, or "".
func libraryValue(it item) string {
	sel, ok := it.expr.(*ast.SelectorExpr)
	if !ok || it.value.IsConcrete() {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok || strings.Contains(strings.SplitN(spec.Path.Value, "/", 2)[0], ".") {
		return ""
	}
	name, _, _ := ast.LabelName(sel.Sel)
	return importName(spec) + "." + name
}

// callName is the function of a call, as it is written.
func callName(e ast.Expr, v cue.Value, args []cue.Value) string {
	if src, ok := v.Source().(*ast.CallExpr); ok {
		e = src
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			pkg, _ := sel.X.(*ast.Ident)
			name, _, _ := ast.LabelName(sel.Sel)
			if pkg != nil {
				if spec, ok := pkg.Node.(*ast.ImportSpec); ok {
					return importName(spec) + "." + name
				}
				return pkg.Name + "." + name
			}
		}
	}
	if len(args) > 0 {
		return fmt.Sprint(args[0])
	}
	return "the call"
}

func importName(s *ast.ImportSpec) string {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return s.Path.Value
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

// conjunction is `A & B`, or several declarations of one thing.
func (l *loader) conjunction(it item, v cue.Value, args []cue.Value, s site) *spec.Type {
	if l.structural(args) {
		return l.plainType(it, v, s)
	}
	if k := v.IncompleteKind(); k == cue.BottomKind && !l.hasCall(args) {
		l.broken(it, s.place)
		return &spec.Type{}
	}
	if v.IsConcrete() && v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return l.plainType(it, v, s)
	}
	t := &spec.Type{}
	for _, a := range args {
		part := l.part(it, a)
		next := l.inline(l.typ(part, s.deeper()))
		merged, problem := merge(t, next)
		if problem != "" {
			l.report(conflict, part.at, s.place, problem, "Both cannot hold: remove or correct one.")
			return t
		}
		t = merged
	}
	return t
}

// structural reports whether only structs are unified, which CUE does itself.
func (l *loader) structural(args []cue.Value) bool {
	for _, a := range args {
		op, _ := a.Expr()
		if a.IncompleteKind() != cue.StructKind || op == cue.OrOp || l.hasCall([]cue.Value{a}) {
			return false
		}
	}
	return true
}

// hasCall reports whether a validator is among the parts: CUE gives no kind to
// some of them until there is a value.
func (l *loader) hasCall(args []cue.Value) bool {
	for _, a := range args {
		op, inner := a.Expr()
		if op == cue.CallOp || op == cue.AndOp && l.hasCall(inner) {
			return true
		}
	}
	return false
}

// inline is a type without its name, to be made narrower.
func (l *loader) inline(t *spec.Type) *spec.Type {
	if t.Ref == "" {
		return t
	}
	c := *l.named.types.Resolve(t)
	c.Ref = ""
	return &c
}

// merge is the type of what both types allow; problem says why there is none.
func merge(a, b *spec.Type) (t *spec.Type, problem string) {
	if a.Kind == spec.Any && isEmpty(a) {
		return b, ""
	}
	if b.Kind == spec.Any && isEmpty(b) {
		return a, ""
	}
	if a.Kind == spec.Union {
		return mergeUnion(a, b)
	}
	if b.Kind == spec.Union {
		return mergeUnion(b, a)
	}
	m := *a
	m.Nullable = a.Nullable && b.Nullable
	kind, ok := mergeKinds(a, b)
	if !ok {
		return nil, fmt.Sprintf("%s and %s exclude each other", a.Kind, b.Kind)
	}
	m.Kind = kind
	if m.Elem == nil || a.Kind != kind {
		m.Elem = b.Elem
	}
	if len(b.Fields) > 0 {
		m.Fields, m.Open = b.Fields, b.Open
	}
	if len(b.Keys) > 0 {
		m.Keys = b.Keys
	}
	m.Min, m.Max = tighter(a.Min, b.Min, 1), tighter(a.Max, b.Max, -1)
	m.Not = append(append([]any(nil), a.Not...), b.Not...)
	m.Patterns = append(append([]spec.Pattern(nil), a.Patterns...), b.Patterns...)
	m.MinLen = max(a.MinLen, b.MinLen)
	m.MaxLen = smaller(a.MaxLen, b.MaxLen)
	m.Unique = a.Unique || b.Unique
	if b.MultipleOf != "" {
		m.MultipleOf = b.MultipleOf
	}
	if m.MaxLen != nil && *m.MaxLen < m.MinLen {
		return nil, fmt.Sprintf("at least %d and at most %d exclude each other", m.MinLen, *m.MaxLen)
	}
	return narrow(&m, a.Enum, b.Enum)
}

// mergeUnion keeps of a union what the other type allows too.
func mergeUnion(u, other *spec.Type) (*spec.Type, string) {
	var kept []*spec.Type
	for _, v := range u.Variants {
		if m, problem := merge(v, other); problem == "" {
			kept = append(kept, m)
		}
	}
	switch len(kept) {
	case 0:
		return nil, fmt.Sprintf("none of the union's types is %s too", other.Kind)
	case 1:
		return kept[0], ""
	}
	m := *u
	m.Variants = kept
	m.Nullable = u.Nullable && other.Nullable
	return &m, ""
}

func isEmpty(t *spec.Type) bool {
	return t.Not == nil && t.Min == nil && t.Max == nil && t.Patterns == nil && t.Enum == nil && t.Ref == ""
}

// mergeKinds is the kind that two types share.
func mergeKinds(a, b *spec.Type) (spec.Kind, bool) {
	x, y := a.Kind, b.Kind
	switch {
	case x == y, y == spec.Any:
		return x, true
	case x == spec.Any:
		return y, true
	case x == spec.Int && y == spec.Number, x == spec.Number && y == spec.Int:
		return spec.Int, true
	case x == spec.Map && y == spec.Object, x == spec.Object && y == spec.Map:
		return spec.Object, true
	default:
		return 0, false
	}
}

// narrow keeps of the literals those that both enums and the bounds allow.
func narrow(t *spec.Type, a, b []any) (*spec.Type, string) {
	enum := a
	if a == nil {
		enum = b
	} else if b != nil {
		enum = nil
		for _, x := range a {
			for _, y := range b {
				if x == y {
					enum = append(enum, x)
				}
			}
		}
	}
	if enum == nil {
		if a != nil {
			return nil, "no literal is in both"
		}
		return t, ""
	}
	rest := *t
	rest.Enum = nil
	t.Enum = nil
	for _, x := range enum {
		if accepts(&rest, x) {
			t.Enum = append(t.Enum, x)
		}
	}
	if t.Enum == nil {
		return nil, "no literal is left"
	}
	t.Not, t.Patterns, t.Min, t.Max, t.MinLen, t.MaxLen = nil, nil, nil, nil, 0, nil
	return t, ""
}

func smaller(a, b *int) *int {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// tighter is the bound that excludes more; sign is 1 for lower bounds.
func tighter(a, b *spec.Bound, sign int) *spec.Bound {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	c := compareLiterals(a.Value, b.Value) * sign
	if c > 0 || c == 0 && a.Exclusive {
		return a
	}
	return b
}

// hasStar reports whether an expression marks a default.
func hasStar(e ast.Expr) (found *ast.UnaryExpr) {
	if e == nil {
		return nil
	}
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructLit, *ast.ListLit, *ast.CallExpr:
			return n == ast.Node(e) && false
		case *ast.UnaryExpr:
			if n.Op == token.MUL && found == nil {
				found = n
			}
		}
		return found == nil
	}, nil)
	return found
}

// defaultOf is the literal that stands in for a property.
func (l *loader) defaultOf(m item, t *spec.Type, s site) (def any, has bool) {
	star := hasStar(m.expr)
	d, ok := m.value.Default()
	if k := m.value.IncompleteKind(); ok && k == cue.ListKind && cue.Dereference(m.value).LookupPath(cue.MakePath(cue.AnyIndex)).Exists() {
		ok = false // CUE's own default of every list
	}
	if !ok {
		if star != nil && m.value.Err() == nil && !m.value.IsConcrete() && l.plainStar(m.expr) {
			l.report(defaultViolates, l.files.of(star.X), s.place, "the default is not allowed by the rest of the type", "Correct the default, or widen the type.")
		}
		return nil, false
	}
	at := m.at
	if star != nil {
		at = l.files.of(star.X)
	}
	if err := d.Validate(cue.Concrete(true)); err != nil {
		l.report(defaultNotConcrete, at, s.place, "the default is not one value", "Write a literal after the *.")
		return nil, false
	}
	def = plain(d)
	if r := l.named.types.Resolve(t); !accepts(r, def) && !(def == nil && r.Nullable) && r.Kind != spec.Union && r.Kind != spec.Object {
		l.report(defaultViolates, at, s.place, fmt.Sprintf("the default %s is not allowed by the rest of the type", showLiteral(def)), "Correct the default, or widen the type.")
		return nil, false
	}
	return def, true
}

// plainStar reports whether a default is marked outside any nested reference.
func (l *loader) plainStar(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && (b.Op == token.OR || b.Op == token.AND)
}

func showLiteral(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
