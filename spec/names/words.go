package names

import "strings"

// Pascal makes a type's name of any text: words are what stands between signs,
// each with a capital. A name cannot begin with a digit.
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

// IsWord reports whether a name may have a letter or sign.
func IsWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// IsIdentifier reports whether every language can have s as a name.
func IsIdentifier(s string) bool {
	return s != "" && !('0' <= s[0] && s[0] <= '9') && !strings.ContainsFunc(s, func(r rune) bool { return !IsWord(r) })
}
