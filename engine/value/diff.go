package value

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Differ compares two values of a type and collects the paths that differ.
type Differ struct {
	Changes []Change
	// equal decides whether two values of a member mean the same; nil where
	// only equal values do.
	Equal func(m *Member, old, new property.Value) bool
}

func (d *Differ) add(path string, kind ChangeKind, replace bool) {
	d.Changes = append(d.Changes, Change{Path: path, Kind: kind, Replace: replace})
}

// Compare compares two values. m is the property that they are of, nil for items.
func (d *Differ) Compare(c *Type, m *Member, old, new property.Value, at string, replace bool) {
	switch {
	case new.IsComputed() || old.IsComputed():
		// What is not known yet may be anything.
		if old.IsNull() {
			d.add(at, Add, replace)
		} else {
			d.add(at, Update, replace)
		}
	case PlainEqual(old, new) || m != nil && d.Equal != nil && d.Equal(m, old, new):
	case old.IsNull():
		d.add(at, Add, replace)
	case new.IsNull():
		d.add(at, Delete, replace)
	case old.IsMap() && new.IsMap():
		d.Object(c.variantOf(new), old.AsMap(), new.AsMap(), at, replace)
	case old.IsArray() && new.IsArray():
		d.list(c.variantOf(new), m, old.AsArray(), new.AsArray(), at, replace)
	default:
		d.add(at, Update, replace)
	}
}

// Object compares the members of two objects or maps.
func (d *Differ) Object(c *Type, old, new property.Map, at string, replace bool) {
	for _, name := range keys(old, new) {
		if strings.HasPrefix(name, "__") {
			continue
		}
		m := c.Member(name)
		d.Compare(c.Under(name), m, old.Get(name), new.Get(name), Join(at, name), replace || m != nil && m.Replace)
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
func (d *Differ) list(c *Type, m *Member, old, new property.Array, at string, replace bool) {
	switch {
	case m != nil && m.Set:
		d.matched(c, old, new, at, replace, func(v property.Value) string { return Canonical(v) })
	case m != nil && m.Key != "":
		d.matched(c, old, new, at, replace, func(v property.Value) string {
			if !v.IsMap() {
				return Canonical(v)
			}
			return Canonical(v.AsMap().Get(m.Key))
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
				d.Compare(c.Under(""), nil, old.Get(i), new.Get(i), place, replace)
			}
		}
	}
}

// matched compares the items of two lists that have the same key; where they
// stand means nothing. Additions and changes are at the place in the new list,
// deletions at that in the old one. Hosts know one change of a path: an item that
// is gone, where another has come or has changed, is an update of that place.
func (d *Differ) matched(c *Type, old, new property.Array, at string, replace bool, key func(property.Value) string) {
	before := map[string][]int{}
	for i, v := range old.All {
		before[key(v)] = append(before[key(v)], i)
	}
	first, places := len(d.Changes), make([]int, new.Len()+1)
	for i, v := range new.All {
		places[i] = len(d.Changes)
		k := key(v)
		if same := before[k]; len(same) > 0 {
			d.Compare(c.Under(""), nil, old.Get(same[0]), v, fmt.Sprintf("%s[%d]", at, i), replace)
			before[k] = same[1:]
			continue
		}
		d.add(fmt.Sprintf("%s[%d]", at, i), Add, replace)
	}
	places[new.Len()] = len(d.Changes)
	arrived := d.Changes[first:]
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
	d.Changes = append(slices.DeleteFunc(d.Changes, func(c Change) bool { return c.Path == "" }), gone...)
}

// ChangeKind is what happens to a property.
type ChangeKind uint8

// Change is that of one property.
type Change struct {
	// Path is in the host-neutral form of property paths: `a.b[0]["x.y"]`.
	Path    string
	Kind    ChangeKind
	Replace bool
	// Output says that it is an output that will change, not an input.
	Output bool
}

// The kinds of change.
const (
	Add ChangeKind = iota + 1
	Delete
	Update
)
