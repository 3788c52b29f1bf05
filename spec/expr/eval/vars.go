package eval

import (
	"context"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/types"
)

// Vars are the values of a scope's names: nil, bool, int64, float64,
// json.Number (what neither of them holds exactly), string, []any,
// map[string]any, *spec.File; and Unknown at any depth.
type Vars struct {
	// Context ends an evaluation; nil does not.
	Context context.Context
	Values  map[string]any
	// Secrets are the paths, from the names on, whose values are secret; "*"
	// does not occur in them, and list items are decimal indices.
	Secrets [][]string
	// MaxValues is how many values the texts may have that are decoded, and if it is
	// more than a million the lists and results that are made; 0 is a million. What is
	// as large as Values are all together is never too large.
	MaxValues int
}

// unknownAt reports whether what a path leads to is or lies under an Unknown or,
// unless only its presence matters, holds one. "*" is every item and key. It adds to
// over how many values it went over.
func unknownAt(v any, path []string, presence bool, over *int) bool {
	if _, ok := v.(types.Unknown); ok {
		return true
	}
	if len(path) == 0 {
		return !presence && types.FindUnknown(v, over)
	}
	step, rest := path[0], path[1:]
	switch v := v.(type) {
	case map[string]any:
		if step != "*" {
			return unknownAt(v[step], rest, presence, over)
		}
		*over += len(v)
		for _, item := range v {
			if unknownAt(item, rest, presence, over) {
				return true
			}
		}
	case []any:
		if step != "*" {
			item, _ := itemAt(v, step)
			return unknownAt(item, rest, presence, over)
		}
		*over += len(v)
		for _, item := range v {
			if unknownAt(item, rest, presence, over) {
				return true
			}
		}
	}
	return false
}

// itemAt returns the item of a decimal index.
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

// unknown reports whether any of the references is not known yet, and how many
// values it went over.
func (vars *Vars) unknown(refs []check.Reference) (unknown bool, over int) {
	for i := range refs {
		r := &refs[i]
		if unknownAt(vars.Values[r.Path[0]], r.Path[1:], r.Presence, &over) {
			return true, over
		}
	}
	return false, over
}

// secret reports whether any of the references is or lies under a secret or,
// unless only its presence matters, holds one.
func (vars *Vars) secret(refs []check.Reference) bool {
	for _, s := range vars.Secrets {
		if slices.ContainsFunc(refs, func(r check.Reference) bool {
			return related(r.Path, s) && (!r.Presence || len(s) <= len(r.Path))
		}) {
			return true
		}
	}
	return false
}

// Marked returns the value at a path, from a name of the scope on, with its marks.
func (vars *Vars) Marked(path []string) any {
	v := vars.Values[path[0]]
	for _, step := range path[1:] {
		v, _ = child(v, step)
	}
	return vars.marked(path, v)
}

// marked returns the value at a path, with the marks of the secrets in it.
func (vars *Vars) marked(path []string, v any) any {
	var inside [][]string
	for _, s := range vars.Secrets {
		switch {
		case len(s) > len(path) && related(s, path):
			inside = append(inside, s[len(path):])
		case related(s, path):
			return types.Secret{Value: v}
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
		return types.Secret{Value: v}
	}
	switch v := v.(type) {
	case types.Unknown:
		return types.Secret{Value: v}
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

// below returns the rests of the paths that go through a step.
func below(paths [][]string, step string) [][]string {
	var out [][]string
	for _, p := range paths {
		if len(p) > 0 && (p[0] == step || p[0] == "*") {
			out = append(out, p[1:])
		}
	}
	return out
}
