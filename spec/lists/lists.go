// Package lists makes lists of other lists.
package lists

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
