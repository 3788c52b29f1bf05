package grant

import (
	"errors"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob is a pattern for slash-separated paths: `**` matches any number of folders; `*`, `?`
// and `[…]` match within a name; `\` quotes a character.
type Glob struct{ pattern string }

// ParseGlob parses a glob.
func ParseGlob(pattern string) (Glob, error) {
	if !doublestar.ValidatePattern(quoteBraces(pattern)) {
		return Glob{}, errors.New(`invalid glob: a bracket is not closed, or the last character is \`)
	}
	return Glob{quoteBraces(pattern)}, nil
}

// Match reports whether the glob matches the path. `d/**` also matches d; the library
// handles that only if d has no wildcard.
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

// Depth returns how many names a matching path has, or -1 if `**` allows any number.
func (g Glob) Depth() int {
	if strings.Contains(g.pattern, "**") {
		return -1
	}
	return strings.Count(g.pattern, "/") + 1
}

// quoteBraces quotes the braces of a glob outside of brackets. The library would expand
// `{a,b}`; the language does not have that.
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

// QuoteGlob returns the glob that matches exactly the text. It is for a value that becomes
// part of a pattern.
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

// unquoteGlob returns the text that a glob without wildcards matches, and false if the glob
// has wildcards.
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
