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
	// Equal reports whether two values of a member have the same meaning. If it is nil,
	// only equal values have.
	Equal func(m *Member, old, new property.Value) bool
	// hidden is the number of secrets that contain the current values, and within the
	// outermost map in them whose keys are a part of the secret, "" if there is none.
	hidden int
	within string
}

func (d *Differ) add(path string, kind ChangeKind, replace bool) {
	d.Changes = append(d.Changes, d.change(path, kind, replace))
}

func (d *Differ) change(path string, kind ChangeKind, replace bool) Change {
	return Change{Path: path, Kind: kind, Replace: replace, Within: d.within}
}

// Compare compares two values. m is their property, or nil for items.
func (d *Differ) Compare(c *Type, m *Member, old, new property.Value, at string, replace bool) {
	if old.Secret() || new.Secret() || m != nil && m.IsSecret() {
		d.hidden++
		defer func() { d.hidden-- }()
	}
	switch {
	case new.IsComputed() || old.IsComputed():
		// An unknown value may become any value.
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
		d.CompareObjects(c.variantOf(new), old.AsMap(), new.AsMap(), at, replace)
	case old.IsArray() && new.IsArray():
		d.compareList(c.variantOf(new), m, old.AsArray(), new.AsArray(), at, replace)
	default:
		d.add(at, Update, replace)
	}
}

// CompareObjects compares the members of two objects or maps.
func (d *Differ) CompareObjects(c *Type, old, new property.Map, at string, replace bool) {
	for _, name := range Keys(old, new) {
		if strings.HasPrefix(name, "__") {
			continue
		}
		m, outer := c.Member(name), d.within
		if m == nil && d.hidden > 0 && outer == "" {
			d.within = at
		}
		d.Compare(c.Child(name), m, old.Get(name), new.Get(name), Join(at, name), replace || m != nil && m.Replace)
		d.within = outer
	}
}

// Keys returns the names in any of the maps, sorted.
func Keys(all ...property.Map) []string {
	var out []string
	for _, m := range all {
		for name := range m.All {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compareList compares two lists: as sets, by a key, or item by item.
func (d *Differ) compareList(c *Type, m *Member, old, new property.Array, at string, replace bool) {
	switch {
	case m != nil && m.Set:
		of, repeats := pairing{d, c.Child(""), ""}.ofSets(old, new)
		d.compareByKey(c, old, new, at, replace, of, repeats)
	case m != nil && m.Key != "":
		d.compareByKey(c, old, new, at, replace, pairing{d, c.Child(""), m.Key}.of(old, new), nil)
	default:
		for i := range max(old.Len(), new.Len()) {
			place := fmt.Sprintf("%s[%d]", at, i)
			switch {
			case i >= old.Len(): // also if the item is null
				d.add(place, Add, replace)
			case i >= new.Len():
				d.add(place, Delete, replace)
			default:
				d.Compare(c.Child(""), nil, old.Get(i), new.Get(i), place, replace)
			}
		}
	}
}

// compareByKey compares the items of two lists that belong together, regardless of
// their positions: of[i] is the index of the old one that belongs to item i, or -1, or repeated, and repeats are the old ones
// that count no more than others do. Additions and changes have the
// position in the new list, deletions that in the old list. Hosts accept one change per path: if an item was deleted and
// another one was added or changed at its position, that is one update.
func (d *Differ) compareByKey(c *Type, old, new property.Array, at string, replace bool, of []int, repeats map[int]bool) {
	kept := map[int]bool{}
	first, places := len(d.Changes), make([]int, new.Len()+1)
	for i, v := range new.All {
		places[i] = len(d.Changes)
		if of[i] == repeated {
			continue
		}
		if of[i] >= 0 {
			d.Compare(c.Child(""), nil, old.Get(of[i]), v, fmt.Sprintf("%s[%d]", at, i), replace)
			kept[of[i]] = true
			continue
		}
		d.add(fmt.Sprintf("%s[%d]", at, i), Add, replace)
	}
	places[new.Len()] = len(d.Changes)
	arrived := d.Changes[first:]
	var gone []Change
	for i := range old.All {
		if kept[i] || repeats[i] {
			continue
		}
		change := d.change(fmt.Sprintf("%s[%d]", at, i), Delete, replace)
		if i < new.Len() && places[i] < places[i+1] {
			change.Kind = Update
			for j := places[i]; j < places[i+1]; j++ {
				change.Replace = change.Replace || arrived[j-first].Replace
				arrived[j-first].Path = "" // merged into the update
			}
		}
		gone = append(gone, change)
	}
	d.Changes = append(slices.DeleteFunc(d.Changes, func(c Change) bool { return c.Path == "" }), gone...)
}

// ChangeKind is the kind of a change of a property.
type ChangeKind uint8

// Change is a change of one property.
type Change struct {
	// Path is a property path in Pulumi's syntax: `a.b[0]["x.y"]`.
	Path    string
	Kind    ChangeKind
	Replace bool
	// Output is true if the property is an output.
	Output bool
	// Within is the path of the secret map whose key the property is or is below, ""
	// otherwise. The key is a part of the secret: what is shown is a change of the map.
	Within string
}

// Shown returns changes whose paths contain no key of a secret map. All changes in such a
// map are one update of the map.
func Shown(changes []Change) []Change {
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Within != "" }) {
		return changes
	}
	var out []Change
	for _, c := range changes {
		if c.Within == "" {
			out = append(out, c)
			continue
		}
		i := slices.IndexFunc(out, func(o Change) bool { return o.Path == c.Within })
		if i < 0 {
			out = append(out, Change{Path: c.Within, Kind: Update, Replace: c.Replace, Output: c.Output})
			continue
		}
		out[i].Replace = out[i].Replace || c.Replace
	}
	return out
}

// The kinds of change.
const (
	Add ChangeKind = iota + 1
	Delete
	Update
)
