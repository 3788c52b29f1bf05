package value

import (
	"slices"
	"strings"
)

// Ignored reports whether a path is under one that the user ignores. `*` stands
// for any name or index.
func Ignored(at string, ignore []string) bool {
	return slices.ContainsFunc(ignore, func(p string) bool { return Within(at, p) })
}

// Within reports whether a path is the pattern's, or under it.
func Within(at, pattern string) bool {
	have, want := segments(at), segments(pattern)
	if len(want) > len(have) {
		return false
	}
	for i, w := range want {
		if w != "*" && w != have[i] {
			return false
		}
	}
	return true
}

// segments splits a property path: `a.b[0]["x.y"]` into a, b, 0, x.y.
func segments(at string) []string {
	var out []string
	for at != "" {
		switch {
		case at[0] == '.':
			at = at[1:]
		case strings.HasPrefix(at, `["`):
			end := 2
			for end < len(at) && at[end] != '"' {
				if strings.HasPrefix(at[end:], `\"`) {
					end++
				}
				end++
			}
			end = min(end, len(at))
			name := strings.ReplaceAll(at[2:end], `\"`, `"`)
			out, at = append(out, name), strings.TrimPrefix(strings.TrimPrefix(at[end:], `"`), "]")
		case at[0] == '[':
			inside, rest, _ := strings.Cut(at[1:], "]")
			out, at = append(out, inside), rest
		default:
			end := strings.IndexAny(at, ".[")
			if end < 0 {
				end = len(at)
			}
			out, at = append(out, at[:end]), at[end:]
		}
	}
	return out
}

// TopLevel is the property that a path starts with.
func TopLevel(at string) string {
	if s := segments(at); len(s) > 0 {
		return s[0]
	}
	return at
}

// Join makes the path of a member, in the form of Pulumi's property paths, which
// escape a quote and nothing else.
func Join(path, name string) string {
	if !isPlainKey(name) {
		return path + `["` + strings.ReplaceAll(name, `"`, `\"`) + `"]`
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// isPlainKey reports whether a path can name a member without quotes: with
// letters, digits, _ and $, the first no digit. It is asked for every value.
func isPlainKey(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}
