package value

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// pairing finds the items of two lists that belong together: those with the same key, or, without a key, those
// that mean the same.
type pairing struct {
	differ *Differ
	item   *Type
	key    string
}

// maxPairs is how many pairs of items are compared by the rules of their type. Items that a server has rewritten
// mostly keep their order, so that one comparison finds each; others are looked for up to this limit.
const maxPairs = 1_000_000

// of returns for each new item the index of the old one that belongs to it, or -1. Equal items come first, then those
// that are the same by the rules of their type, such as @equal of a member.
func (p pairing) of(old, new property.Array) []int {
	places := map[string][]int{}
	for i, v := range old.All {
		at := Canonical(p.part(v))
		places[at] = append(places[at], i)
	}
	pairs, taken := make([]int, new.Len()), make([]bool, old.Len())
	var left []int
	for i, v := range new.All {
		at := Canonical(p.part(v))
		same := places[at]
		if len(same) == 0 {
			pairs[i], left = -1, append(left, i)
			continue
		}
		pairs[i], places[at], taken[same[0]] = same[0], same[1:], true
	}
	if len(left) == 0 || p.differ.Equal == nil {
		return pairs
	}
	var free []int
	for i, is := range taken {
		if !is {
			free = append(free, i)
		}
	}
	tries := 0
	for _, i := range left {
		for at, j := range free {
			if tries++; tries > maxPairs {
				return pairs
			}
			if p.same(old.Get(j), new.Get(i)) {
				pairs[i], free = j, slices.Delete(free, at, at+1)
				break
			}
		}
	}
	return pairs
}

// part returns the part of an item by which it is found.
func (p pairing) part(v property.Value) property.Value {
	if p.key == "" || !v.IsMap() {
		return v
	}
	return v.AsMap().Get(p.key)
}

// same reports whether two items belong together by the rules of their type.
func (p pairing) same(old, new property.Value) bool {
	d := Differ{Equal: p.differ.Equal}
	if p.key == "" || !old.IsMap() || !new.IsMap() {
		d.Compare(p.item, nil, old, new, "", false)
	} else if item := p.item.variantOf(new); item != nil {
		d.Compare(item.Child(p.key), item.Member(p.key), old.AsMap().Get(p.key), new.AsMap().Get(p.key), "", false)
	}
	return len(d.Changes) == 0
}

// repeated marks an item of a set that means the same as another one.
const repeated = -2

// ofSets is of for the items of sets, in which an item counts once: a new one that means the same as another one is
// repeated, and repeats are the old ones that do.
func (p pairing) ofSets(old, new property.Array) (of []int, repeats map[int]bool) {
	olds, news := distinct(old), distinct(new)
	pairs := p.of(pickItems(old, olds), pickItems(new, news))
	of, repeats = make([]int, new.Len()), map[int]bool{}
	for i := range of {
		of[i] = repeated
	}
	left := map[int]bool{} // the old ones that nothing belongs to
	for i := range old.Len() {
		repeats[i] = true
	}
	for _, i := range olds {
		repeats[i], left[i] = false, true
	}
	for i, pair := range pairs {
		if of[news[i]] = -1; pair >= 0 {
			of[news[i]] = olds[pair]
			left[olds[pair]] = false
		}
	}
	tries, byRules := 0, p.differ.Equal != nil
	means := func(v property.Value, among property.Array, indices []int) bool {
		return slices.ContainsFunc(indices, func(i int) bool {
			tries++
			return byRules && tries <= maxPairs && p.same(among.Get(i), v)
		})
	}
	for at, i := range news {
		if of[i] == -1 && (means(new.Get(i), old, olds) || means(new.Get(i), new, news[:at])) {
			of[i] = repeated
		}
	}
	for at, i := range olds {
		if left[i] && (means(old.Get(i), new, news) || means(old.Get(i), old, olds[:at])) {
			repeats[i] = true
		}
	}
	return of, repeats
}

// distinct returns the indices of the items that do not equal earlier ones.
func distinct(items property.Array) (indices []int) {
	found := map[string]bool{}
	for i, v := range items.All {
		at := Canonical(v)
		if !found[at] || v.HasComputed() {
			indices = append(indices, i)
		}
		found[at] = true
	}
	return indices
}

// pickItems returns the items with these indices.
func pickItems(items property.Array, indices []int) property.Array {
	picked := make([]property.Value, len(indices))
	for i, at := range indices {
		picked[i] = items.Get(at)
	}
	return property.NewArray(picked)
}
