package encodings

import (
	"strings"
	"testing"
)

// TestAll checks that there are twelve different encodings.
func TestAll(t *testing.T) {
	const text = `pa/ss+wö"rd<&> Zx9QmPf2`
	seen := map[string]string{}
	for _, e := range All() {
		got := e.Of(text)
		if got == "" || strings.ContainsAny(got, "\n") {
			t.Errorf("%s: %q", e.Name, got)
		}
		if same, ok := seen[got]; ok {
			t.Errorf("%s and %s are the same: %q", e.Name, same, got)
		}
		seen[got] = e.Name
	}
	if len(seen) != 13 {
		t.Errorf("got %d encodings", len(seen))
	}
}
