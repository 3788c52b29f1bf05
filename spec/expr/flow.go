package expr

import (
	"slices"
	"strconv"
)

// Reveal strips the marks of secrets from a value, and calls seen, which may be
// nil, with each value that was marked. A value without marks is returned as it
// is; others are copied.
func Reveal(v any, seen func(any)) any {
	out, _ := reveal(v, seen)
	return out
}

func reveal(v any, seen func(any)) (out any, changed bool) {
	switch v := v.(type) {
	case Secret:
		inner, _ := reveal(v.Value, seen)
		if seen != nil {
			seen(inner)
		}
		return inner, true
	case []any:
		var list []any
		for i, item := range v {
			revealed, changed := reveal(item, seen)
			if !changed {
				continue
			}
			if list == nil {
				list = slices.Clone(v)
			}
			list[i] = revealed
		}
		if list != nil {
			return list, true
		}
	case map[string]any:
		var m map[string]any
		for k, item := range v {
			revealed, changed := reveal(item, seen)
			if !changed {
				continue
			}
			if m == nil {
				m = make(map[string]any, len(v))
				for k, item := range v {
					m[k] = item
				}
			}
			m[k] = revealed
		}
		if m != nil {
			return m, true
		}
	}
	return v, false
}

// HasUnknown reports whether v is Unknown, or anything in it is.
func HasUnknown(v any) bool {
	switch v := v.(type) {
	case Unknown:
		return true
	case Secret:
		return HasUnknown(v.Value)
	case []any:
		return slices.ContainsFunc(v, HasUnknown)
	case map[string]any:
		for _, item := range v {
			if HasUnknown(item) {
				return true
			}
		}
	}
	return false
}

// unknownAt reports whether what a path leads to is or lies under an Unknown or,
// unless only its presence matters, holds one. "*" is every item and key.
func unknownAt(v any, path []string, presence bool) bool {
	if _, ok := v.(Unknown); ok {
		return true
	}
	if len(path) == 0 {
		return !presence && HasUnknown(v)
	}
	step, rest := path[0], path[1:]
	switch v := v.(type) {
	case map[string]any:
		if step != "*" {
			return unknownAt(v[step], rest, presence)
		}
		for _, item := range v {
			if unknownAt(item, rest, presence) {
				return true
			}
		}
	case []any:
		if step != "*" {
			item, _ := itemAt(v, step)
			return unknownAt(item, rest, presence)
		}
		return slices.ContainsFunc(v, func(item any) bool { return unknownAt(item, rest, presence) })
	}
	return false
}

// itemAt is the item of a decimal index.
func itemAt(list []any, step string) (any, bool) {
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(list) {
		return nil, false
	}
	return list[i], true
}

// related reports whether one path is at, above or under another; "*" is any
// step.
func related(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" && b[i] != "*" {
			return false
		}
	}
	return true
}

// unknown reports whether any of the references is not known yet.
func (vars *Vars) unknown(refs []reference) bool {
	return slices.ContainsFunc(refs, func(r reference) bool {
		return unknownAt(vars.Values[r.path[0]], r.path[1:], r.presence)
	})
}

// secret reports whether any of the references is or lies under a secret or,
// unless only its presence matters, holds one.
func (vars *Vars) secret(refs []reference) bool {
	for _, s := range vars.Secrets {
		if slices.ContainsFunc(refs, func(r reference) bool {
			return related(r.path, s) && (!r.presence || len(s) <= len(r.path))
		}) {
			return true
		}
	}
	return false
}

// marked is the value at a path, with the marks of the secrets in it.
func (vars *Vars) marked(path []string, v any) any {
	var inside [][]string
	for _, s := range vars.Secrets {
		switch {
		case len(s) > len(path) && related(s, path):
			inside = append(inside, s[len(path):])
		case related(s, path):
			return Secret{Value: v}
		}
	}
	if len(inside) == 0 {
		return v
	}
	return mark(v, inside)
}

// mark wraps what the paths lead to. What is Unknown as a whole may hold a
// secret, and is then one.
func mark(v any, paths [][]string) any {
	if slices.ContainsFunc(paths, func(p []string) bool { return len(p) == 0 }) {
		return Secret{Value: v}
	}
	switch v := v.(type) {
	case Unknown:
		return Secret{Value: v}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = item
			if under := below(paths, k); under != nil {
				out[k] = mark(item, under)
			}
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, item := range v {
			if under := below(paths, strconv.Itoa(i)); under != nil {
				out[i] = mark(item, under)
			}
		}
		return out
	default:
		return v
	}
}

// below are the rests of the paths that go through a step.
func below(paths [][]string, step string) [][]string {
	var out [][]string
	for _, p := range paths {
		if len(p) > 0 && (p[0] == step || p[0] == "*") {
			out = append(out, p[1:])
		}
	}
	return out
}
