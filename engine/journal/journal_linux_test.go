package journal

import (
	"path/filepath"
	"sync"
	"testing"
)

// TestBeginSideBySide: of many who begin the same create at once, one has the key
// that all go on under, and nothing is left of the others.
func TestBeginSideBySide(t *testing.T) {
	dir := t.TempDir()
	j := In(dir)
	what := What{Provider: "p", Type: "t", Resource: "r"}
	const many = 32
	keys, adopted := make([]string, many), make([]bool, many)
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			i, took, err := j.Begin(what)
			if err != nil {
				t.Error(err)
			}
			keys[n], adopted[n] = i.Key, took
		})
	}
	all.Wait()
	first := 0
	for n := range many {
		if keys[n] != keys[0] {
			t.Fatalf("two keys of one create: %q and %q", keys[n], keys[0])
		}
		if !adopted[n] {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d made the intent, want 1", first)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".intent-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
