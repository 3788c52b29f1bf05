package request

import "testing"

func TestKept(t *testing.T) {
	var k Kept[any, int]
	made := 0
	counted := func() int { made++; return made }
	for _, want := range []struct {
		key   string
		value int
	}{{"a", 1}, {"a", 1}, {"b", 2}} {
		if got := k.Get(want.key, counted); got != want.value {
			t.Errorf("under %q there is %d, want %d", want.key, got, want.value)
		}
	}
	for i := range 2 * mostKept {
		k.Get(i, counted)
	}
	if len(k.values) != mostKept {
		t.Errorf("%d are kept", len(k.values))
	}
}
