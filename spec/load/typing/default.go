package typing

import (
	"encoding/json"
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/types"
)

// hasStar returns the first `*default` in an expression, or nil. It does not search
// structs, lists and calls.
func hasStar(e ast.Expr) (found *ast.UnaryExpr) {
	walkAlternatives(e, func(n ast.Node) {
		if marked, ok := n.(*ast.UnaryExpr); ok && marked.Op == token.MUL && found == nil {
			found = marked
		}
	})
	return found
}

// allowsDefault reports whether a disjunction also has the literal of its `*default` as an
// alternative: `*0 | 0 | >10`. CUE takes the two for one.
func allowsDefault(e ast.Expr) bool {
	or, ok := e.(*ast.BinaryExpr)
	if !ok || or.Op != token.OR {
		return false
	}
	var star *ast.BasicLit
	literals := map[string]bool{}
	for _, part := range operands(or) {
		if lit, ok := part.(*ast.BasicLit); ok {
			literals[lit.Value] = true
		}
		if marked, ok := part.(*ast.UnaryExpr); ok && marked.Op == token.MUL {
			star, _ = marked.X.(*ast.BasicLit)
		}
	}
	return star != nil && literals[star.Value]
}

// operands returns the operands of a chain of `|`.
func operands(e ast.Expr) []ast.Expr {
	if or, ok := e.(*ast.BinaryExpr); ok && or.Op == token.OR {
		return append(operands(or.X), operands(or.Y)...)
	}
	return []ast.Expr{e}
}

// defaultOf returns the default of a property and whether there is one. An invalid default is
// reported, and nil, so that nothing else is reported because the property has none.
func (x *Extractor) defaultOf(m walk.Item, t *spec.Type, s Site) (def any, has bool) {
	star := hasStar(m.Expr)
	d, ok := m.Value.Default()
	if k := m.Value.IncompleteKind(); ok && k == cue.ListKind && cue.Dereference(m.Value).LookupPath(cue.MakePath(cue.AnyIndex)).Exists() {
		ok = false // CUE gives every list a default
	}
	if !ok && emptyStruct(star) { // CUE drops the default if the other operand is a map
		return x.fitting(map[string]any{}, t, x.Files.RangeOf(star.X), s), true
	}
	if marked, isThere := x.markedValue(m, star); !ok && isThere {
		d, ok = marked, true
	}
	if !ok {
		if star != nil && m.Value.Err() == nil && !m.Value.IsConcrete() && plainStar(m.Expr) {
			x.Report(source.CodeDefaultViolates, x.Files.RangeOf(star.X), s.Place, "the type does not allow the default", "Correct the default, or widen the type.")
			return nil, true
		}
		return nil, false
	}
	at := m.At
	if star != nil {
		at = x.Files.RangeOf(star.X)
	}
	if err := d.Validate(cue.Concrete(true)); err != nil {
		x.Report(source.CodeDefaultNotConcrete, at, s.Place, "the default is not a concrete value", "Write a literal after the *.")
		return nil, true
	}
	checkNullDefaultElsewhere(x, d, m, s)
	if star != nil {
		x.UnusedHelpersWithin(walk.Item{Value: d, Expr: star.X, At: at, NameAt: at}, s.Place)
	}
	return x.fitting(plainValue(d), t, at, s), true
}

// fitting returns a default, or reports one that its type does not allow, and returns nil.
func (x *Extractor) fitting(def any, t *spec.Type, at diag.Range, s Site) any {
	if r := x.named.types.Resolve(t); r.Kind != spec.Union && r.Kind != spec.Object && types.Fits(def, r, x.named.types) != nil {
		x.Report(source.CodeDefaultViolates, at, s.Place, fmt.Sprintf("the type does not allow the default %s", showLiteral(def)), defaultRemedy(def))
		return nil
	}
	return def
}

// defaultRemedy says what to do about a default that its type does not allow.
func defaultRemedy(def any) string {
	return fmt.Sprintf("Correct the default, or widen the type. If %[1]s is allowed besides, write it as an alternative, too: `*%[1]s | %[1]s | …`.", showLiteral(def))
}

// markedValue returns the marked default of a disjunction of which CUE leaves nothing else, because
// a validator such as list.MinItems fails for a list that is still empty.
func (x *Extractor) markedValue(m walk.Item, star *ast.UnaryExpr) (cue.Value, bool) {
	op, args := cue.Dereference(m.Value).Expr()
	if star == nil || op != cue.OrOp {
		return cue.Value{}, false
	}
	parts := x.flattenDisjuncts(m, args, 0)
	i := slices.IndexFunc(parts, func(part walk.Item) bool { return part.Expr == star.X })
	if i < 0 || !slices.ContainsFunc(parts, func(part walk.Item) bool { return hasCall([]cue.Value{part.Value}) }) {
		return cue.Value{}, false
	}
	return parts[i].Value, true
}

// plainStar reports whether an expression is itself a disjunction or conjunction, so that
// its default mark is not behind a reference.
func plainStar(e ast.Expr) bool {
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

// plainValue returns a concrete value as a plain Go value, in the form of the literals of
// spec.Type.
func plainValue(v cue.Value) any {
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
			list = append(list, plainValue(it.Value()))
		}
		return list
	case cue.StructKind:
		m := map[string]any{}
		for it, err := v.Fields(); err == nil && it.Next(); {
			m[it.Selector().Unquoted()] = plainValue(it.Value())
		}
		return m
	default:
		return nil
	}
}

// emptyStruct reports whether the marked default is {}.
func emptyStruct(star *ast.UnaryExpr) bool {
	if star == nil {
		return false
	}
	lit, ok := star.X.(*ast.StructLit)
	return ok && len(lit.Elts) == 0
}
