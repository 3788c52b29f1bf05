package actions

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is a compiled Rule: all below base that glob matches.
type rule struct {
	access  Access
	pattern string // as it was given
	base    string // the literal folder in front, absolute
	// glob is matched against the slash-separated path from base on; "" is
	// base itself and nothing below.
	glob string
}

func compileRule(dir string, r Rule) (rule, error) {
	bad := func(why string) (rule, error) {
		return rule{}, fmt.Errorf("permission %q: %s", r.Pattern, why)
	}
	pattern := slashed(r.Pattern)
	switch {
	case pattern == "":
		return bad("the pattern is empty")
	case strings.ContainsRune(pattern, 0):
		return bad("the pattern holds a NUL character")
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		return bad(`"~" is not expanded; write the folder out`)
	}
	literal, glob := splitPattern(pattern)
	if !doublestar.ValidatePattern(glob) {
		return bad("it is not a glob; a bracket is open, or the last character is \\")
	}
	if strings.Contains("/"+glob+"/", "/../") {
		return bad(`".." after a wildcard leads nowhere certain; write the folder out`)
	}
	base := filepath.FromSlash(literal)
	if !filepath.IsAbs(base) {
		base = filepath.Join(dir, base)
	}
	return rule{access: r.Access, pattern: r.Pattern, base: filepath.Clean(base), glob: glob}, nil
}

// splitPattern splits a pattern before its first name with a wildcard. The
// literal part has its quoting undone.
func splitPattern(pattern string) (literal, glob string) {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		plain, ok := unquoteGlob(s)
		if !ok {
			return strings.Join(segments[:i], "/") + "/"[:min(i, 1)], quoteBraces(cleanGlob(segments[i:]))
		}
		segments[i] = plain
	}
	return strings.Join(segments, "/"), ""
}

// cleanGlob joins the segments without those that say nothing.
func cleanGlob(segments []string) string {
	kept := segments[:0:0]
	for _, s := range segments {
		if s != "" && s != "." {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "/")
}

// quoteBraces takes `{a,b}`, which the library has and the language has not,
// for the characters that they are.
func quoteBraces(glob string) string {
	return strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, `\\`, `\\`, "{", `\{`, "}", `\}`).Replace(glob)
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

// slashed is the pattern with slashes between names: where the system's
// separator is `\`, it quotes nothing.
func slashed(pattern string) string { return filepath.ToSlash(pattern) }

func (r rule) allows(access Access) bool {
	return r.access == access || r.access == WriteTo && access == Read
}

// matches reports whether the rule names the absolute, clean path.
func (r rule) matches(abs string) bool {
	rel, ok := below(r.base, abs)
	switch {
	case !ok:
		return false
	case r.glob == "":
		return rel == "."
	case rel == ".":
		return strings.Trim(r.glob, "*/") == "" && strings.HasPrefix(r.glob, "**")
	default:
		return doublestar.MatchUnvalidated(r.glob, filepath.ToSlash(rel))
	}
}

// wholeTree reports whether a rule that matches a folder matches all below it.
func (r rule) wholeTree() bool { return r.glob == "**" || strings.HasSuffix(r.glob, "/**") }

// below is the path from base on, "." for base itself.
func below(base, abs string) (rel string, ok bool) {
	rel, err := filepath.Rel(base, abs)
	return rel, err == nil && filepath.IsLocal(rel)
}
