package typing

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/types"
)

// CodeDefaultWithoutStar: a value beside its own type has no effect: the star of a default is missing (warning).
const CodeDefaultWithoutStar = "default-without-star"

// CodeDefaultQuotes: a default that the other alternatives do not allow, only because of its quotes (warning).
const CodeDefaultQuotes = "default-quotes"

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

// checkDefaultType warns about a default that none of the other alternatives allows, but for its quotes: `*"false" | bool`,
// `*80 | string`. An alternative that repeats it says that it is meant.
func checkDefaultType(x *Extractor, p *spec.Property, m walk.Item, s Site) {
	star, t := hasStar(m.Expr), x.named.types.Resolve(p.Type)
	if star == nil || t.Kind != spec.Union || p.Default == nil || allowsDefault(m.Expr) {
		return
	}
	meant, isOther := inOtherQuotes(p.Default)
	of := -1
	for i, v := range t.Variants {
		if types.Fits(p.Default, v, x.named.types) == nil {
			isOther = isOther && len(v.Enum) == 1
		} else if types.Fits(meant, v, x.named.types) == nil {
			of = i
		}
	}
	if !isOther || of < 0 {
		return
	}
	at, shown, text := x.Files.RangeOf(star.X), showLiteral(p.Default), showLiteral(meant)
	x.Warn(CodeDefaultQuotes, at, s.Place, fmt.Sprintf("the only %s that %s allows is its default %s", kindOf(p.Default), p.Name, shown),
		fmt.Sprintf("Write `*%s`. If %s is meant, write it as an alternative, too: `*%[2]s | %[2]s | …`.", text, shown)).Suggest(diag.Edit{At: at, Text: text})
}

// inOtherQuotes returns the value of a text that is a literal, and the text of a number.
func inOtherQuotes(v any) (other any, ok bool) {
	switch v := v.(type) {
	case string:
		d := json.NewDecoder(strings.NewReader(v))
		d.UseNumber()
		err := d.Decode(&other)
		_, isText := other.(string)
		return other, err == nil && !d.More() && other != nil && !isText
	case json.Number:
		return v.String(), true
	}
	return nil, false
}

func kindOf(v any) string {
	if _, ok := v.(string); ok {
		return "string"
	}
	return "number"
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
