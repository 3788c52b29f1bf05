package decode

import (
	"maps"
	"slices"
	"strings"
)

// XML is read with every element and attribute of a namespace under "{uri}local" and
// "@{uri}local": prefixes are the server's to choose, and two elements of one local
// name are two things.

// LocalName is the name of an element or attribute without its namespace.
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

// LocalNames returns the members of an element under their local names, but for those
// that are asked for by their whole names, and those of which two would have one name.
func LocalNames(m map[string]any, asked []string) map[string]any {
	out := make(map[string]any, len(m))
	count := make(map[string]int, len(m))
	for name := range m {
		if !slices.Contains(asked, name) {
			count[LocalName(name)]++
		}
	}
	for name, v := range m {
		local := LocalName(name)
		_, other := m[local] // which is of no namespace
		if slices.Contains(asked, name) || count[local] > 1 || other {
			local = name
		}
		out[local] = v
	}
	return out
}

// Unqualified returns what was read of XML with LocalNames at any depth. What has no
// whole names is not copied.
func Unqualified(v any) any {
	out, _ := unqualified(v)
	return out
}

func unqualified(v any) (out any, changed bool) {
	switch v := v.(type) {
	case map[string]any:
		return unqualifiedMembers(v)
	case []any:
		list := v
		for i, item := range v {
			if bare, other := unqualified(item); other {
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

func unqualifiedMembers(v map[string]any) (out map[string]any, changed bool) {
	out = v
	for name := range v {
		if changed = LocalName(name) != name; changed {
			out = LocalNames(v, nil)
			break
		}
	}
	for name, item := range out {
		bare, other := unqualified(item)
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
