package value

import (
	"slices"
	"strings"
)

// IsIgnored reports whether a path matches one of the paths that the user ignores, or
// lies below one. `*` matches any name or index.
func IsIgnored(at string, ignore []string) bool {
	return slices.ContainsFunc(ignore, func(p string) bool { return IsWithin(at, p) })
}

// IsWithin reports whether a path matches a pattern, or lies below a match.
func IsWithin(at, pattern string) bool {
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

// TopLevel returns the first name of a path: a for `a.b[0]`, x.y for `["x.y"].z`. As in the
// parser of Pulumi's engine (resource.ParsePropertyPath), a backslash only escapes a quote.
func TopLevel(at string) string {
	if s := segments(at); len(s) > 0 {
		return s[0]
	}
	return at
}

// Join returns the path of a member in the syntax of Pulumi's property paths, which
// escapes only quotes.
func Join(path, name string) string {
	if !isPlainKey(name) {
		return path + `["` + strings.ReplaceAll(name, `"`, `\"`) + `"]`
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// isPlainKey reports whether a path may contain a name without quotes: it consists of
// letters, digits, _ and $, and does not start with a digit. It is called for every
// value.
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
