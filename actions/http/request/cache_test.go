package request

import "testing"

func TestCache(t *testing.T) {
	var k Cache[any, int]
	made := 0
	counted := func() int { made++; return made }
	for _, want := range []struct {
		key   string
		value int
	}{{"a", 1}, {"a", 1}, {"b", 2}} {
		if got := k.Get(want.key, counted); got != want.value {
			t.Errorf("%q: got %d, want %d", want.key, got, want.value)
		}
	}
	for i := range 2 * maxCached {
		k.Get(i, counted)
	}
	if len(k.values) != maxCached {
		t.Errorf("expected %d values, got %d", maxCached, len(k.values))
	}
}
