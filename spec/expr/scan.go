package expr

import (
	"strings"
	"unicode/utf8"
)

// rawPiece is a stretch of a template: text, or the source between `${` and `}`.
type rawPiece struct {
	// text is unescaped literal text, or an expression as written.
	text string
	expr bool
	// from and to are code points of the whole string: of the text, or of the
	// expression without its braces.
	from, to int
}

// scanFault is what stops a scan, and where.
type scanFault struct {
	code, summary, detail string
	from, to              int
}

// scan splits a template into its pieces. A `$${` is a literal `${`. Inside an
// expression, braces count, but for those in its strings and comments.
func scan(s string) ([]rawPiece, *scanFault) {
	if !strings.Contains(s, "${") {
		return []rawPiece{{text: s, to: utf8.RuneCountInString(s)}}, nil
	}
	var pieces []rawPiece
	var text strings.Builder
	start, point := 0, 0 // code points: where the text began, and where i is
	flush := func() {
		if text.Len() > 0 {
			pieces = append(pieces, rawPiece{text: text.String(), from: start, to: point})
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
				return nil, &scanFault{
					CodeUnterminated, "this ${ has no closing }",
					"An expression reaches from ${ to its }, and a quote in it must be closed. For the two characters themselves, write $${.", point, point + 2,
				}
			}
			if strings.TrimSpace(source) == "" {
				return nil, &scanFault{
					CodeEmpty, "this ${} is empty",
					"Put an expression between the braces. For the characters themselves, write $${}.", point, point + width + 3,
				}
			}
			pieces = append(pieces, rawPiece{text: source, expr: true, from: point + 2, to: point + 2 + width})
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

// expressionLen is the length in bytes of the expression that s begins with, up
// to its closing brace; ok is false where there is none.
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
			// A doubled backtick closes one string and opens the next, which
			// comes to the same.
			i += closedBy(s[i:], 1, "`")
		case strings.HasPrefix(s[i:], "//"):
			i += closedBy(s[i:], 2, "\n")
		case strings.HasPrefix(s[i:], "/*"):
			i += closedBy(s[i:], 2, "*/")
		default:
			i++
		}
	}
	return len(s), false
}

// quotedLen is the length of the quoted string that s begins with.
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

// closedBy is the length of s up to and with the first end after skip bytes.
func closedBy(s string, skip int, end string) int {
	i := strings.Index(s[skip:], end)
	if i < 0 {
		return len(s)
	}
	return skip + i + len(end)
}
