package typing

import (
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/walk"
)

// CodeDefaultWithoutStar: a value beside its own type has no effect: the star of a default is missing (warning).
const CodeDefaultWithoutStar = "default-without-star"

// checkAlternative warns about a single value beside its own type, as in `80 | int`, which the type includes:
// it was meant to be the default. Several values may be there for readers.
func checkAlternative(x *Extractor, m walk.Item, s Site) {
	or, ok := m.Expr.(*ast.BinaryExpr)
	if !ok || or.Op != token.OR || s.Role == OutputRole {
		return
	}
	parts := operands(or)
	if len(parts) != 2 {
		return
	}
	value, kind := parts[0], parts[1]
	if literalKinds(value) == nil {
		value, kind = kind, value
	}
	of, isName := kind.(*ast.Ident)
	if !isName || !literalKinds(value)[of.Name] {
		return
	}
	at := x.Files.RangeOf(value)
	shown := x.Files.TextAt(at)
	if shown == "" {
		shown = "…"
	}
	x.Warn(CodeDefaultWithoutStar, at, s.Place, fmt.Sprintf("%s has no effect beside %s", shown, of.Name),
		fmt.Sprintf("For a default, write `*%s | %s`.", shown, of.Name)).Suggest(starEdits(x, m, at, value == parts[0])...)
}

// literalKinds returns the types that include a literal, or nil if an expression is none.
func literalKinds(e ast.Expr) map[string]bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.SUB || e.Op == token.ADD {
			return literalKinds(e.X)
		}
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			return map[string]bool{"string": true}
		case token.INT:
			return map[string]bool{"int": true, "number": true}
		case token.TRUE, token.FALSE:
			return map[string]bool{"bool": true}
		case token.FLOAT:
			return map[string]bool{"float": true, "number": true}
		}
	}
	return nil
}

// starEdits returns the edits that make a value the default. In YAML, a text that begins with a star needs quotes.
func starEdits(x *Extractor, m walk.Item, value diag.Range, first bool) []diag.Edit {
	if before := m.At; x.Raw && before.Start.Column > 1 {
		before.End = before.Start
		before.Start.Column--
		quote, text := x.Files.TextAt(before), x.Files.TextAt(m.At)
		if quote != `"` && quote != "'" && x.Files.Unquoted(m.At) == m.At {
			if !first || text == "" {
				return nil
			}
			return []diag.Edit{{At: m.At, Text: foreign.YAMLString("*" + text)}}
		}
	}
	value.End = value.Start
	return []diag.Edit{{At: value, Text: "*"}}
}
