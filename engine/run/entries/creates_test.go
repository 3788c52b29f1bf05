package entries

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/engine/journal"
)

// TestHandedRemedy checks that each cause for which an object may exist that the host knows nothing of is named, with its
// remedy.
func TestHandedRemedy(t *testing.T) {
	for _, tc := range []struct {
		findFirst, other bool
		want             []string
	}{
		{want: []string{"killed", "import", "rename", "another backend", "forget KEY", "preview"}},
		{findFirst: true, want: []string{"killed", "import", "rename", "another backend", "forget KEY", "preview", "deleteBeforeReplace"}},
		{other: true, want: []string{"other resource or stack", `delete "7"`, "forget KEY"}},
	} {
		got := HandedRemedy(journal.Intent{ID: "7", Key: "KEY"}, tc.findFirst, tc.other)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: expected %q in %q", tc, want, got)
			}
		}
	}
}
