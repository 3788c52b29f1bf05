package plan

import (
	"slices"
	"sync"
)

// Confinement says to what extent the permissions of a spec restrict the programs
// that it runs, for example which files they may open and which programs they may
// start.
type Confinement string

const (
	// Unconfined programs are not restricted.
	Unconfined Confinement = "none"
	// Mixed means that some programs are unconfined.
	Mixed Confinement = "some"
	// Attempted programs are restricted as far as the operating system supports it.
	Attempted Confinement = "attempted"
	// Enforced programs do not start unless they can be restricted.
	Enforced Confinement = "enforced"
)

// Collected are values that the steps of a spec add, without duplicates. It is safe for concurrent use.
type Collected[T any] struct {
	mu      sync.Mutex
	compare func(a, b T) int
	sorted  []T
}

// Add adds values.
func (c *Collected[T]) Add(values ...T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range values {
		if i, known := slices.BinarySearchFunc(c.sorted, v, c.compare); !known {
			c.sorted = slices.Insert(c.sorted, i, v)
		}
	}
}

// Sorted returns the values, sorted.
func (c *Collected[T]) Sorted() []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sorted)
}

// Summarize returns one Confinement for all steps, or "" if there are none.
func Summarize(of *Collected[Confinement]) Confinement {
	seen := of.Sorted()
	switch {
	case len(seen) == 0:
		return ""
	case len(seen) == 1:
		return seen[0]
	case slices.Contains(seen, Unconfined):
		return Mixed
	default:
		return Attempted
	}
}
