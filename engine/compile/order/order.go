// Package order sorts things that depend on each other.
package order

import "slices"

// Sort returns keys in their order, but each after those that it needs. For each cycle it calls
// reportCycle with the keys of the cycle, which ends with the key that it starts with; then it
// ignores the last need.
func Sort[K comparable](keys []K, needs func(K) []K, reportCycle func(cycle []K)) []K {
	const visiting, done = 1, 2
	var sorted, path []K
	state := map[K]int{}
	var visit func(K)
	visit = func(key K) {
		state[key] = visiting
		path = append(path, key)
		for _, need := range needs(key) {
			switch state[need] {
			case visiting:
				reportCycle(append(slices.Clone(path[slices.Index(path, need):]), need))
			case done:
			default:
				visit(need)
			}
		}
		path = path[:len(path)-1]
		state[key] = done
		sorted = append(sorted, key)
	}
	for _, key := range keys {
		if state[key] == 0 {
			visit(key)
		}
	}
	return sorted
}
