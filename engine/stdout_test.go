package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// TestStandardOutput shows what the formats of a command's output make of line ends.
func TestStandardOutput(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]any{
		"text":  "text a\n",
		"raw":   "text a\n\n",
		"lines": []any{"text a", "text "},
		"bytes": "text YQoK",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			e, _ := newWorld().engine(t, `
functions: say: {
	outputs: said: _
	exec: {command: ["printf", "a\\n\\n"], effect: "none", stdout: "`+format+`"}
	return: said: "${result.stdout}"
}`)
			out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "say"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, shown(out.Return.Get("said"))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
