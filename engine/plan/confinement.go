package plan

import (
	"slices"
	"sync"
)

// Confinement says how the programs that a spec runs are bound by what it is
// granted; to start others, and to name files, is then theirs.
type Confinement string

const (
	// Unconfined programs do what they do.
	Unconfined Confinement = "none"
	// Mixed are some unconfined, and some not.
	Mixed Confinement = "some"
	// Attempted confines as far as the system can.
	Attempted Confinement = "attempted"
	// Enforced confines, or starts nothing.
	Enforced Confinement = "enforced"
)

// Confinements are those of the steps of a spec. Resources are compiled side by
// side.
type Confinements struct {
	mu   sync.Mutex
	seen []Confinement
}

func (c *Confinements) Add(one Confinement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.seen, one) {
		c.seen = append(c.seen, one)
	}
}

// Together is what can be said of all of them; "" where there are none.
func (c *Confinements) Together() Confinement {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.seen) == 0:
		return ""
	case len(c.seen) == 1:
		return c.seen[0]
	case slices.Contains(c.seen, Unconfined):
		return Mixed
	default:
		return Attempted
	}
}
