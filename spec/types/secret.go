package types

import (
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// SecretAt reports whether a path of a type goes through or to a secret property. If
// presence is false, it also reports whether the path leads to a value that contains
// a secret property.
func SecretAt(t *spec.Type, path []string, presence bool, types spec.Types) bool {
	return secretAt(t, path, presence, types, map[string]bool{})
}

func secretAt(t *spec.Type, path []string, presence bool, types spec.Types, seen map[string]bool) bool {
	if t == nil || presence && len(path) == 0 {
		return false
	}
	if t.Ref != "" {
		key := strconv.Itoa(len(path)) + t.Ref
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	t = Resolve(t, types)
	step, rest := "*", path
	if len(path) > 0 {
		step, rest = path[0], path[1:]
	}
	for _, f := range t.Fields {
		if (step == "*" || step == f.Name) && (f.IsSecret() || secretAt(f.Type, rest, presence, types, seen)) {
			return true
		}
	}
	for _, v := range t.Variants {
		if secretAt(v, path, presence, types, seen) {
			return true
		}
	}
	return t.Elem != nil && secretAt(t.Elem, rest, presence, types, seen)
}

// MarkDeclared returns a plain value with the members marked that its type declares
// secret. If the variant of a union cannot be determined, or the value is not known
// yet, it marks the whole value if the type may contain a secret.
func MarkDeclared(v any, t *spec.Type, types spec.Types) any {
	switch v.(type) {
	case map[string]any, []any, Unknown:
	default:
		return v
	}
	whole := types.Resolve(t)
	t = Narrow(whole, ShapeOf(v, nil), types)
	if _, unknown := v.(Unknown); t == nil || unknown {
		return Mark(v, HoldsSecret(whole, types))
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = MarkDeclared(item, t.Elem, types)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			switch p := t.Field(name); {
			case p == nil:
				out[name] = MarkDeclared(item, t.Elem, types)
			default:
				out[name] = Mark(MarkDeclared(item, p.Type, types), p.IsSecret())
			}
		}
		return out
	default:
		return v
	}
}

// HoldsSecret reports whether a value of the type may contain a member that is
// declared secret, at any depth.
func HoldsSecret(t *spec.Type, named spec.Types) bool {
	return Search(t, func(t *spec.Type, part func(*spec.Type) bool) bool {
		t = named.Resolve(t)
		return slices.ContainsFunc(t.Fields, (*spec.Property).IsSecret) || InParts(t, part)
	})
}
