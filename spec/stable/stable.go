// Package stable sorts lists of large values, and visits maps in a fixed order.
package stable

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
)

// Sort sorts a list and keeps the order of equal elements, as slices.SortStableFunc does. That is
// compiled for each type, which takes 5 to 10 KB for a struct; Sort is compiled once.
func Sort[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// All visits the entries of a map sorted by key. Whatever reports something about them, or chooses
// one of them, must not depend on the order of the map, which differs from run to run.
func All[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
