package grant

import (
	"errors"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob is a pattern over slash-separated paths: `**` is any number of folders,
// `*`, `?` and `[…]` stay within a name, `\` takes a character for itself.
type Glob struct{ pattern string }

// ParseGlob is the glob that is written so.
func ParseGlob(pattern string) (Glob, error) {
	if !doublestar.ValidatePattern(quoteBraces(pattern)) {
		return Glob{}, errors.New(`it is not a glob: a bracket is open, or the last character is \`)
	}
	return Glob{quoteBraces(pattern)}, nil
}

// Match reports whether the glob names the path. `d/**` names d, too; the library
// knows that of plain names only, and not where d has a wildcard itself.
func (g Glob) Match(path string) bool {
	for pattern := g.pattern; ; {
		if doublestar.MatchUnvalidated(pattern, path) {
			return true
		}
		folder, tree := strings.CutSuffix(pattern, "/**")
		if !tree {
			return false
		}
		pattern = folder
	}
}

// Depth is how many names the paths have that match, or -1 where `**` lets
// them have any number.
func (g Glob) Depth() int {
	if strings.Contains(g.pattern, "**") {
		return -1
	}
	return strings.Count(g.pattern, "/") + 1
}

// quoteBraces takes `{a,b}`, which the library has and the language has not,
// for the characters that they are. In brackets they are that already.
func quoteBraces(glob string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\' && i+1 < len(glob):
			b.WriteByte(c)
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case (c == '{' || c == '}') && !inClass:
			b.WriteByte('\\')
		}
		b.WriteByte(glob[i])
	}
	return b.String()
}

// QuoteGlob is the glob that matches the text and nothing else: for a value
// that becomes part of a pattern.
func QuoteGlob(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune("*?[", r):
			b.WriteString("[" + string(r) + "]")
		case r == '\\' && runtime.GOOS != "windows":
			b.WriteString(`\\`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unquoteGlob is the one text that a glob without wildcards matches.
func unquoteGlob(glob string) (text string, ok bool) {
	if !strings.ContainsAny(glob, `*?[\`) {
		return glob, true
	}
	var b strings.Builder
	runes := []rune(glob)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && i+1 < len(runes):
			i++
			b.WriteRune(runes[i])
		case r == '[' && i+2 < len(runes) && runes[i+2] == ']' && !strings.ContainsRune(`^!\]`, runes[i+1]):
			b.WriteRune(runes[i+1])
			i += 2
		case strings.ContainsRune(`*?[\`, r):
			return "", false
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), true
}
