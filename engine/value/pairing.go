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
