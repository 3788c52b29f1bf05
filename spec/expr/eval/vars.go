package eval

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/types"
)

// Vars are the values of the names of a scope: nil, bool, int64, float64, json.Number
// (for numbers that neither int64 nor float64 represents exactly), string, []any,
// map[string]any, *spec.File; and Unknown at any depth.
type Vars struct {
	// Context cancels an evaluation. It may be nil.
	Context context.Context
	Values  map[string]any
	// Secrets are the paths of secret values, beginning with a name of the scope.
	// List items are decimal indices, and "*" is not allowed.
	Secrets [][]string
	// MaxValues is the maximum number of values in decoded texts. If it is more than
	// a million, it is also the maximum for created lists and results. 0 means a
	// million. A list or a result as large as all Values together is always allowed.
	MaxValues int
	// Open opens the content of an asset. If it is nil, assets cannot be read.
	Open func(ctx context.Context, f *spec.File) (io.ReadCloser, error)
}

// unknownAt reports whether the value at a path is, or is part of, an Unknown. Unless
// presence is true, it also reports whether the value contains an Unknown. "*" is
// every item and key. The number of visited values is added to visited.
func unknownAt(v any, path []string, presence bool, visited *int) bool {
	if _, ok := v.(types.Unknown); ok {
		return true
	}
	if len(path) == 0 {
		return !presence && types.FindUnknown(v, visited)
	}
	step, rest := path[0], path[1:]
	switch v := v.(type) {
	case map[string]any:
		if step != "*" {
			return unknownAt(v[step], rest, presence, visited)
		}
		*visited += len(v)
		for _, item := range v {
			if unknownAt(item, rest, presence, visited) {
				return true
			}
		}
	case []any:
		if step != "*" {
			item, _ := itemAt(v, step)
			return unknownAt(item, rest, presence, visited)
		}
		*visited += len(v)
		for _, item := range v {
			if unknownAt(item, rest, presence, visited) {
				return true
			}
		}
	}
	return false
}

// itemAt returns the item with a decimal index.
func itemAt(list []any, step string) (any, bool) {
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(list) {
		return nil, false
	}
	return list[i], true
}

// isRelated reports whether two paths are equal or one contains the other. "*" matches
// any step.
func isRelated(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" && b[i] != "*" {
			return false
		}
	}
	return true
}

// hasUnknown reports whether any of the references is not known yet, and returns the
// number of visited values.
func (vars *Vars) hasUnknown(refs []check.Reference) (unknown bool, visited int) {
	for i := range refs {
		r := &refs[i]
		if unknownAt(vars.Values[r.Path[0]], r.Path[1:], r.Presence, &visited) {
			return true, visited
		}
	}
	return false, visited
}

// hasSecret reports whether any of the references is, or is part of, a secret. A
// reference whose value matters also counts if its value contains a secret.
func (vars *Vars) hasSecret(refs []check.Reference) bool {
	for _, s := range vars.Secrets {
		if slices.ContainsFunc(refs, func(r check.Reference) bool {
			return isRelated(r.Path, s) && (!r.Presence || len(s) <= len(r.Path))
		}) {
			return true
		}
	}
	return false
}

// Marked returns the value at a path, beginning with a name of the scope, with its
// secret marks.
func (vars *Vars) Marked(path []string) any {
	v := vars.Values[path[0]]
	for _, step := range path[1:] {
		v, _ = child(v, step)
	}
	return vars.withMarks(path, v)
}

// withMarks returns v, the value at a path, with secret marks.
func (vars *Vars) withMarks(path []string, v any) any {
	var inside [][]string
	for _, s := range vars.Secrets {
		switch {
		case len(s) > len(path) && isRelated(s, path):
			inside = append(inside, s[len(path):])
		case isRelated(s, path):
			return types.Secret{Value: v}
		}
	}
	if len(inside) == 0 {
		return v
	}
	return mark(v, inside)
}

// mark marks the values at paths as secret. If a value is Unknown and may contain a
// secret, it is marked as a whole.
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
			if under := stepPaths(paths, k); under != nil {
				out[k] = mark(item, under)
			}
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, item := range v {
			if under := stepPaths(paths, strconv.Itoa(i)); under != nil {
				out[i] = mark(item, under)
			}
		}
		return out
	default:
		return v
	}
}

// stepPaths returns the remainders of the paths that begin with a step.
func stepPaths(paths [][]string, step string) [][]string {
	var out [][]string
	for _, p := range paths {
		if len(p) > 0 && (p[0] == step || p[0] == "*") {
			out = append(out, p[1:])
		}
	}
	return out
}
