package decode

import (
	"maps"
	"slices"
	"strings"
)

// In decoded XML, an element or attribute with a namespace has the key "{uri}local"
// or "@{uri}local". Servers may choose any prefix, and elements with the same local
// name in different namespaces must remain distinct.

// LocalName returns the name of an element or attribute without its namespace.
func LocalName(name string) string {
	bare, attribute := strings.CutPrefix(name, "@")
	if !strings.HasPrefix(bare, "{") {
		return name
	}
	_, local, ok := strings.Cut(bare, "}")
	if !ok || local == "" {
		return name
	}
	if attribute {
		return "@" + local
	}
	return local
}

// LocalNames returns the members of an element under their local names. Members in
// asked, and members whose local names collide, keep their full names.
func LocalNames(m map[string]any, keep []string) map[string]any {
	out := make(map[string]any, len(m))
	count := make(map[string]int, len(m))
	for name := range m {
		if !slices.Contains(keep, name) {
			count[LocalName(name)]++
		}
	}
	for name, v := range m {
		local := LocalName(name)
		_, other := m[local] // a member without a namespace
		if slices.Contains(keep, name) || count[local] > 1 || other {
			local = name
		}
		out[local] = v
	}
	return out
}

// Unqualify applies LocalNames to decoded XML at any depth. Values without full
// names are not copied.
func Unqualify(v any) any {
	out, _ := unqualify(v)
	return out
}

func unqualify(v any) (out any, changed bool) {
	switch v := v.(type) {
	case map[string]any:
		return unqualifyMembers(v)
	case []any:
		list := v
		for i, item := range v {
			if bare, other := unqualify(item); other {
				if !changed {
					list, changed = slices.Clone(v), true
				}
				list[i] = bare
			}
		}
		return list, changed
	default:
		return v, false
	}
}

func unqualifyMembers(v map[string]any) (out map[string]any, changed bool) {
	out = v
	for name := range v {
		if changed = LocalName(name) != name; changed {
			out = LocalNames(v, nil)
			break
		}
	}
	for name, item := range out {
		bare, other := unqualify(item)
		if !other {
			continue
		}
		if !changed {
			out, changed = maps.Clone(v), true
		}
		out[name] = bare
	}
	return out, changed
}
