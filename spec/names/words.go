package names

import (
	"strings"
)

// Pascal returns a text as the name of a type: its words, which other characters
// separate, are capitalised and joined. A leading digit is prefixed with N, because
// names cannot begin with a digit.
func Pascal(s string) string {
	var b strings.Builder
	upper := true
	for _, r := range s {
		if !IsWord(r) || r == '_' {
			upper = true
			continue
		}
		if b.Len() == 0 && '0' <= r && r <= '9' {
			b.WriteByte('N')
		}
		if upper {
			r = []rune(strings.ToUpper(string(r)))[0]
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// IsWord reports whether names may contain r.
func IsWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// IsIdentifier reports whether s is a valid name in every language.
func IsIdentifier(s string) bool {
	return s != "" && !('0' <= s[0] && s[0] <= '9') && !strings.ContainsFunc(s, func(r rune) bool { return !IsWord(r) })
}

// Suggest returns a valid name that resembles name: a-b becomes aB, or AB if capital
// is true.
func Suggest(name string, capital bool) string {
	var b strings.Builder
	up := capital
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		switch {
		case letter && up:
			b.WriteString(strings.ToUpper(string(r)))
		case letter && b.Len() == 0 && !capital:
			b.WriteString(strings.ToLower(string(r)))
		case letter, r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		default:
			up = b.Len() > 0 || capital
			continue
		}
		up = false
	}
	if b.Len() == 0 {
		return map[bool]string{true: "Thing", false: "thing"}[capital]
	}
	return b.String()
}
