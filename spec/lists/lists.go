// Package lists makes lists of other lists, and searches them.
package lists

import "slices"

// Map returns f of each element, in their order. It returns nil for an empty list: where null is
// not the same as [], as in the data of a user, write the loop.
func Map[A, B any](list []A, f func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	mapped := make([]B, len(list))
	for i, a := range list {
		mapped[i] = f(a)
	}
	return mapped
}

// Find returns the first element for which is returns true, or the zero value, such as nil.
func Find[T any](list []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		found = list[i]
	}
	return found
}
