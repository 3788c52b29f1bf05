package engine_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestUpdatesNameWhatIsKept checks that an update warns if the program has removed an input that the
// API may rewrite, and the API shows the same as before. If the program has changed it, the same may
// be a placeholder for any value.
func TestUpdatesNameWhatIsKept(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, after, shown, then any
		warns                      bool
	}{
		"kept":                 {"secret", nil, "***", "***", true},
		"removed":              {"secret", nil, "***", nil, false},
		"reset to another":     {"secret", nil, "***", "none", false},
		"never shown":          {"secret", nil, nil, nil, false},
		"changed":              {"secret", "other", "***", "***", false},
		"added":                {nil, "secret", "***", "***", false},
		"never in the program": {nil, nil, "filled", "filled", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.on("make", normalisedRead(tc.shown)).on("change", normalisedRead(tc.then)).on("get", normalisedRead(tc.shown))
			e, _ := w.engine(t, normalised(`p?: string`, ``))
			state := created(t, e, "Thing", withP(tc.before))
			w.on("get", normalisedRead(tc.then))
			var log messages
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: check(t, e, "Thing", withP(tc.after)), Log: &log})
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if said := strings.Join(log.texts, "\n"); strings.Contains(said, "removed p") != tc.warns {
				t.Errorf("said %q", said)
			}
		})
	}
}
