// Package stable sorts lists of large values.
package stable

import "sort"

// Sort sorts a list and keeps the order of equal elements, as slices.SortStableFunc does. That is
// compiled for each type, which takes 5 to 10 KB for a struct; Sort is compiled once.
func Sort[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
