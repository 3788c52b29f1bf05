package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/expr"
)

// differ compares two values of a type and collects the paths that differ.
type differ struct {
	changes []Change
	// equal decides whether two values of a member mean the same; nil where
	// only equal values do.
	equal func(m *member, old, new property.Value) bool
}

func (d *differ) add(path string, kind ChangeKind, replace bool) {
	d.changes = append(d.changes, Change{Path: path, Kind: kind, Replace: replace})
}

// value compares two values. m is the property that they are of, nil for items.
func (d *differ) value(c *checker, m *member, old, new property.Value, at string, replace bool) {
	switch {
	case new.IsComputed() || old.IsComputed():
		// What is not known yet may be anything.
		if old.IsNull() {
			d.add(at, Add, replace)
		} else {
			d.add(at, Update, replace)
		}
	case plainEqual(old, new) || m != nil && d.equal != nil && d.equal(m, old, new):
	case old.IsNull():
		d.add(at, Add, replace)
	case new.IsNull():
		d.add(at, Delete, replace)
	case old.IsMap() && new.IsMap():
		d.object(c.variantOf(new), old.AsMap(), new.AsMap(), at, replace)
	case old.IsArray() && new.IsArray():
		d.list(c.variantOf(new), m, old.AsArray(), new.AsArray(), at, replace)
	default:
		d.add(at, Update, replace)
	}
}

// object compares the members of two objects or maps.
func (d *differ) object(c *checker, old, new property.Map, at string, replace bool) {
	for _, name := range keys(old, new) {
		if strings.HasPrefix(name, "__") {
			continue
		}
		m := c.member(name)
		d.value(c.under(name), m, old.Get(name), new.Get(name), join(at, name), replace || m != nil && m.Replace)
	}
}

// keys are the names of both maps, sorted.
func keys(a, b property.Map) []string {
	var out []string
	for name := range a.All {
		out = append(out, name)
	}
	for name := range b.All {
		if _, both := a.GetOk(name); !both {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// list compares two lists: as a set, by a key, or item by item.
func (d *differ) list(c *checker, m *member, old, new property.Array, at string, replace bool) {
	switch {
	case m != nil && m.Set:
		d.matched(c, old, new, at, replace, func(v property.Value) string { return canonical(v) })
	case m != nil && m.Key != "":
		d.matched(c, old, new, at, replace, func(v property.Value) string {
			if !v.IsMap() {
				return canonical(v)
			}
			return canonical(v.AsMap().Get(m.Key))
		})
	default:
		for i := range max(old.Len(), new.Len()) {
			place := fmt.Sprintf("%s[%d]", at, i)
			switch {
			case i >= old.Len(): // a null that was added is an addition
				d.add(place, Add, replace)
			case i >= new.Len():
				d.add(place, Delete, replace)
			default:
				d.value(c.under(""), nil, old.Get(i), new.Get(i), place, replace)
			}
		}
	}
}

// matched compares the items of two lists that have the same key; where they
// stand means nothing. Additions and changes are at the place in the new list,
// deletions at that in the old one. Hosts know one change of a path: an item that
// is gone, where another has come or has changed, is an update of that place.
func (d *differ) matched(c *checker, old, new property.Array, at string, replace bool, key func(property.Value) string) {
	before := map[string][]int{}
	for i, v := range old.All {
		before[key(v)] = append(before[key(v)], i)
	}
	first, places := len(d.changes), make([]int, new.Len()+1)
	for i, v := range new.All {
		places[i] = len(d.changes)
		k := key(v)
		if same := before[k]; len(same) > 0 {
			d.value(c.under(""), nil, old.Get(same[0]), v, fmt.Sprintf("%s[%d]", at, i), replace)
			before[k] = same[1:]
			continue
		}
		d.add(fmt.Sprintf("%s[%d]", at, i), Add, replace)
	}
	places[new.Len()] = len(d.changes)
	arrived := d.changes[first:]
	var gone []Change
	for i, v := range old.All {
		if !slices.Contains(before[key(v)], i) {
			continue
		}
		change := Change{Path: fmt.Sprintf("%s[%d]", at, i), Kind: Delete, Replace: replace}
		if i < new.Len() && places[i] < places[i+1] {
			change.Kind = Update
			for j := places[i]; j < places[i+1]; j++ {
				change.Replace = change.Replace || arrived[j-first].Replace
				arrived[j-first].Path = "" // part of that update
			}
		}
		gone = append(gone, change)
	}
	d.changes = append(slices.DeleteFunc(d.changes, func(c Change) bool { return c.Path == "" }), gone...)
}

// canonical is a text that is the same for equal values only.
func canonical(v property.Value) string {
	below := []string{"", ""} // deep enough that no key is the host's own: see plainMap
	b, err := json.Marshal(byContent(untyped.plain(v, below, &secretPaths{})))
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(b)
}

// plainEqual compares values without regard to their secrecy: what a value is
// does not change when it becomes secret. Null members are as good as absent.
func plainEqual(a, b property.Value) bool {
	switch {
	case a.IsMap() && b.IsMap():
		return !slices.ContainsFunc(keys(a.AsMap(), b.AsMap()), func(name string) bool {
			return !plainEqual(a.AsMap().Get(name), b.AsMap().Get(name))
		})
	case a.IsArray() && b.IsArray():
		if a.AsArray().Len() != b.AsArray().Len() {
			return false
		}
		for i, v := range a.AsArray().All {
			if !plainEqual(v, b.AsArray().Get(i)) {
				return false
			}
		}
		return true
	case a.IsAsset() && b.IsAsset():
		return contentOf(fileOfAsset(a.AsAsset())) == contentOf(fileOfAsset(b.AsAsset()))
	case a.IsArchive() && b.IsArchive():
		return contentOf(fileOfArchive(a.AsArchive())) == contentOf(fileOfArchive(b.AsArchive()))
	default:
		return a.WithSecret(false).WithDependencies(nil).Equals(b.WithSecret(false).WithDependencies(nil))
	}
}

// equal reports whether two values of an input mean the same to the world: by
// the @equal rule of the property, or as a set.
func (e *Engine) equal(ctx context.Context, res *resource, ref Ref, m *member, old, new property.Value) bool {
	if m.EqualExpr != nil {
		return e.equalByTemplate(ctx, res, ref, m, old, new)
	}
	if !old.IsString() || !new.IsString() {
		return false
	}
	a, b := old.AsString(), new.AsString()
	switch m.Equal {
	case "fold":
		return strings.EqualFold(a, b)
	case "trim":
		return strings.TrimSpace(a) == strings.TrimSpace(b)
	case "path":
		return path.Clean(a) == path.Clean(b)
	case "json":
		return equalJSON(a, b, e.program.MaxValues())
	default:
		return false
	}
}

// equalJSON reports whether two JSON texts have the same value, whatever their layout.
// Of texts with more than so many values, it does not tell.
func equalJSON(a, b string, most int) bool {
	values := decode.NewBudget(most)
	x, err := decode.JSON([]byte(a), values)
	if err != nil {
		return false
	}
	y, err := decode.JSON([]byte(b), values)
	return err == nil && sameJSON(x, y)
}

// sameJSON compares decoded values; numbers to their last digit.
func sameJSON(a, b any) bool {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(float64); ok {
			return sameNumber(x, y)
		}
	case float64:
		if y, ok := b.(int64); ok {
			return sameNumber(y, x)
		}
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameJSON)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, sameJSON)
	}
	return a == b
}

// equalByTemplate evaluates an @equal template over old and new. A template
// that fails for these values does not call them equal.
func (e *Engine) equalByTemplate(ctx context.Context, res *resource, ref Ref, m *member, old, new property.Value) bool {
	if m.equal == nil || old.IsNull() || new.IsNull() {
		return false
	}
	r := e.newRun(ctx, res, nil, update, ref, nil)
	r.vars.Values["old"] = m.check.plain(old, []string{"old"}, r.secrets)
	r.vars.Values["new"] = m.check.plain(new, []string{"new"}, r.secrets)
	v, err := r.eval(m.equal)
	return err == nil && v == true && !expr.HasUnknown(v)
}

// ignored reports whether a path is under one that the user ignores. `*` stands
// for any name or index.
func ignored(at string, ignore []string) bool {
	return slices.ContainsFunc(ignore, func(p string) bool { return within(at, p) })
}

// within reports whether a path is the pattern's, or under it.
func within(at, pattern string) bool {
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

// topLevel is the property that a path starts with.
func topLevel(at string) string {
	if s := segments(at); len(s) > 0 {
		return s[0]
	}
	return at
}
