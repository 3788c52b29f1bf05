package model

import (
	"fmt"
	"testing"
)

// replays are histories that once broke a promise, by what they have in common. They
// are drawn from those seeds: whoever changes how histories are drawn finds that they
// are others now, and may take them out. The tests of the engine have what they showed.
var replays = []struct {
	what    string
	seed    uint64
	numbers []uint64
}{
	{"a create that is undone", 1, []uint64{4248, 506, 818, 1456, 188, 880, 4517}},
	{"a failure, and another attempt", 1, []uint64{407, 579, 593, 1565, 3898, 1519, 1524, 1504}},
	{"a find that is not asked first", 1, []uint64{198, 879, 918, 3510, 3511, 4578}},
	{"a failure, and a create with other inputs", 1, []uint64{6451}},
	{"a create that goes on", 1, []uint64{4609, 5023, 825, 264, 657, 823, 886}},
	{"what was made cannot be read", 1, []uint64{421, 2817}},
	{"a response that was lost", 1, []uint64{259, 1332, 2622, 6060}},
	{"a 412 during a replacement", 1, []uint64{4639}},
	{"a response without an id, and other inputs", 1, []uint64{555, 4551, 4885}},
	{"a refusal for what the host has forgotten", 1, []uint64{5549}},
	{"a look that is slow", 2, []uint64{194}},
	{"a replacement that has the id of its original", 2, []uint64{683}},
	{"a commit later than the consistency", 2, []uint64{556}},
	{"another stack that makes it meanwhile", 1, []uint64{1467}},
}

// TestReplays plays them again.
func TestReplays(t *testing.T) {
	if *history >= 0 || *typed >= 0 {
		t.Skip("one history was asked for")
	}
	b := newBench(t)
	for _, r := range replays {
		t.Run(r.what, func(t *testing.T) {
			t.Parallel()
			for _, n := range r.numbers {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					t.Parallel()
					within := *b
					within.T, within.report = t, newReport()
					h := b.drawn(r.seed, n)
					within.compiled(h)
					within.judge(h)
					within.tell()
				})
			}
		})
	}
}
