package plan

import (
	"maps"
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

// Confinements collects the confinements of all steps of a spec. It is safe for
// concurrent use.
type Confinements struct {
	mu   sync.Mutex
	seen []Confinement
}

// Add records the confinement of a step.
func (c *Confinements) Add(one Confinement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.seen, one) {
		c.seen = append(c.seen, one)
	}
}

// Trusts collects what the steps of a spec trust that their permissions do not show, without
// duplicates. It is safe for concurrent use.
type Trusts struct {
	mu   sync.Mutex
	seen map[string]bool
}

// Add records what a step trusts.
func (t *Trusts) Add(texts ...string) {
	if len(texts) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	for _, text := range texts {
		t.seen[text] = true
	}
}

// Sorted returns all texts, sorted.
func (t *Trusts) Sorted() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.seen))
}

// Summary returns one Confinement for all steps, or "" if there are none.
func (c *Confinements) Summary() Confinement {
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
