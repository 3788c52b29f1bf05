// Package template finds the expressions in texts like "/pets/${id}". It does not parse them: see
// spec/expr/parse.
package template

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
)

// Piece is one piece of a template: literal text, or the source between `${` and `}`.
type Piece struct {
	// Text is unescaped literal text, or an expression as written.
	Text string
	Expr bool
	// From and To are code points of the whole string. They delimit the text, or the
	// expression without its braces.
	From, To int
}

// Fault is the error of a template whose expressions cannot be found. From and To are code points of
// the template.
type Fault struct {
	Code, Summary, Detail string
	From, To              int
}

const (
	// CodeUnterminated: a `${` has no `}`.
	CodeUnterminated = "template-unterminated"
	// CodeEmpty: `${}` is empty.
	CodeEmpty = "template-empty"
)

// IsTemplate reports whether a text contains an expression, or a `${` without an end. A `$${` is
// literal text.
func IsTemplate(text string) bool {
	pieces, bad := Scan(text)
	return bad != nil || slices.ContainsFunc(pieces, func(p Piece) bool { return p.Expr })
}

// IsMixed reports whether a template is more than one expression: text as well, or several.
func IsMixed(text string) bool {
	pieces, bad := Scan(text)
	return bad == nil && len(pieces) > 1
}

// Whole returns the expression of a template that is nothing else.
func Whole(text string) (expression string, ok bool) {
	pieces, bad := Scan(text)
	if bad != nil || len(pieces) != 1 || !pieces[0].Expr {
		return "", false
	}
	return pieces[0].Text, true
}

// HasTemplate reports whether a tree contains an expression, or a `${` without an
// end. Constant expressions such as ${1} count. A `$${` and the text of `{literal:
// "…"}` do not.
func HasTemplate(n *spec.Node) bool {
	switch {
	case n == nil:
		return false
	case n.Kind == spec.StringNode:
		return IsTemplate(n.Text)
	case n.Kind == spec.MapNode && len(n.Fields) == 1 && n.Fields[0].Name == "literal" && n.Fields[0].Value.Kind == spec.StringNode:
		return false
	}
	return slices.ContainsFunc(n.Items, HasTemplate) ||
		slices.ContainsFunc(n.Fields, func(f spec.Field) bool { return HasTemplate(f.Value) })
}

// Scan splits a template into its pieces. A `$${` is a literal `${`. Inside an
// expression, braces nest; those in strings and comments are ignored.
func Scan(s string) ([]Piece, *Fault) {
	if !strings.Contains(s, "${") {
		return []Piece{{Text: s, To: utf8.RuneCountInString(s)}}, nil
	}
	var pieces []Piece
	var text strings.Builder
	start, point := 0, 0 // code points: the beginning of the text, and the position of i
	flush := func() {
		if text.Len() > 0 {
			pieces = append(pieces, Piece{Text: text.String(), From: start, To: point})
			text.Reset()
		}
	}
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "$${"):
			text.WriteString("${")
			i, point = i+3, point+3
		case strings.HasPrefix(s[i:], "${"):
			flush()
			size, ok := expressionLen(s[i+2:])
			source := s[i+2 : i+2+size]
			width := utf8.RuneCountInString(source)
			if !ok {
				return nil, &Fault{
					Code: CodeUnterminated, Summary: "this ${ has no closing }",
					Detail: "Add the closing } and close all quotes in the expression. For the characters ${ themselves, write $${.",
					From:   point, To: point + 2,
				}
			}
			if strings.TrimSpace(source) == "" {
				return nil, &Fault{
					Code: CodeEmpty, Summary: "this ${} is empty",
					Detail: "Write an expression between the braces. For the characters themselves, write $${}.",
					From:   point, To: point + width + 3,
				}
			}
			pieces = append(pieces, Piece{Text: source, Expr: true, From: point + 2, To: point + 2 + width})
			i, point = i+size+3, point+width+3
			start = point
		default:
			_, size := utf8.DecodeRuneInString(s[i:])
			text.WriteString(s[i : i+size])
			i, point = i+size, point+1
		}
	}
	flush()
	return pieces, nil
}

// expressionLen returns the length in bytes of the expression at the beginning of s,
// up to its closing brace. ok is false if there is no closing brace.
func expressionLen(s string) (n int, ok bool) {
	depth := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '{':
			depth++
			i++
		case c == '}' && depth == 0:
			return i, true
		case c == '}':
			depth--
			i++
		case c == '"' || c == '\'':
			i += quotedLen(s[i:])
		case c == '`':
			// A doubled backtick closes one string and opens the next, which has the
			// same effect.
			i += lenUntil(s[i:], 1, "`")
		case strings.HasPrefix(s[i:], "//"):
			i += lenUntil(s[i:], 2, "\n")
		case strings.HasPrefix(s[i:], "/*"):
			i += lenUntil(s[i:], 2, "*/")
		default:
			i++
		}
	}
	return len(s), false
}

// quotedLen returns the length of the quoted string at the beginning of s.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// lenUntil returns the length of s up to and including the first end after skip
// bytes.
func lenUntil(s string, skip int, end string) int {
	i := strings.Index(s[skip:], end)
	if i < 0 {
		return len(s)
	}
	return skip + i + len(end)
}
