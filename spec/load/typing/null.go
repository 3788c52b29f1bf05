package typing

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// checkNullDefault reports `*null` in a type: a default of null would be left out, as an absent value is.
func checkNullDefault(x *Extractor, it walk.Item, s Site) {
	var star *ast.UnaryExpr
	walkAlternatives(it.Expr, func(n ast.Node) {
		if marked, ok := n.(*ast.UnaryExpr); ok && marked.Op == token.MUL && isNullLiteral(marked.X) && star == nil {
			star = marked
		}
	})
	if star != nil {
		reportNullDefault(x, x.Files.RangeOf(star), it, s)
	}
}

// checkNullDefaultElsewhere reports a default of null that a property has from an expression that is not a type of
// its own.
func checkNullDefaultElsewhere(x *Extractor, d cue.Value, m walk.Item, s Site) {
	reported := slices.ContainsFunc(x.Diags, func(d diag.Diagnostic) bool { return d.Code == source.CodeDefaultNull })
	if d.Kind() == cue.NullKind && !reported {
		reportNullDefault(x, m.At, m, s)
	}
}

func reportNullDefault(x *Extractor, at diag.Range, it walk.Item, s Site) {
	if slices.ContainsFunc(x.Diags, func(d diag.Diagnostic) bool { return d.Code == source.CodeDefaultNull && d.Subject == at }) {
		return // parts of a type may be extracted several times
	}
	detail := "A default of null is left out, as an absent value is. "
	if typ := "null | " + withoutNull(it.Expr); it.Name == "" {
		detail += fmt.Sprintf("Write `%s`.", typ)
	} else {
		detail += fmt.Sprintf("Write `%[1]s?: %[2]s`. To send null if the program sets nothing, name the property in what is sent, such as `rest: body: {%[1]s: \"${inputs.%[1]s}\"}`, or in the `json` of your own operations.", it.Name, typ)
	}
	x.Report(source.CodeDefaultNull, at, s.Place, "null cannot be a default", detail)
}

// withoutNull returns the alternatives of a type without null, as they are written.
func withoutNull(e ast.Expr) string {
	var parts []string
	for _, part := range operands(e) {
		if marked, ok := part.(*ast.UnaryExpr); ok && marked.Op == token.MUL {
			part = marked.X
		}
		text, err := format.Node(part)
		if err != nil || isNullLiteral(part) || hasStar(part) != nil || strings.Contains(string(text), "\n") {
			continue
		}
		parts = append(parts, string(text))
	}
	if e == nil || parts == nil {
		return "T"
	}
	return strings.Join(parts, " | ")
}

// walkAlternatives visits the parts of a type, but not those of structs, lists and calls.
func walkAlternatives(e ast.Expr, visit func(ast.Node)) {
	if e == nil {
		return
	}
	ast.Walk(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.StructLit, *ast.ListLit, *ast.CallExpr:
			return false
		}
		visit(n)
		return true
	}, nil)
}

func isNullLiteral(e ast.Expr) bool {
	for {
		paren, ok := e.(*ast.ParenExpr)
		if !ok {
			break
		}
		e = paren.X
	}
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.NULL
}
