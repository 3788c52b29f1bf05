package mistakes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
)

// TestTogether puts all mistakes that can coexist into one document of each
// language, each in a place of its own: all are found in one run, each once, on
// its line, and nothing else is.
func TestTogether(t *testing.T) {
	for _, lang := range []string{"cue", "yaml"} {
		t.Run(lang, func(t *testing.T) {
			var cases []spec
			for _, c := range corpus(t, lang) {
				if c.Alone == "" {
					cases = append(cases, c)
				}
			}
			if len(cases) < 60 {
				t.Errorf("only %d mistakes stand together", len(cases))
			}
			text := assemble(lang, cases)
			path := filepath.Join(t.TempDir(), "together."+lang)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var want, got []string
			lines := strings.Split(text, "\n")
			for _, e := range expectations(t, text) {
				want = append(want, e.onLine(lines))
			}
			// By vet itself, whose limits of time and memory must allow this.
			found := vetBy(t, []string{provider.Binary(t), "vet", "--format", "json"}, []string{path})[path]
			for _, f := range found {
				got = append(got, f.mistake().onLine(lines))
			}
			slices.Sort(want)
			slices.Sort(got)
			if len(want) != len(cases) {
				t.Errorf("%d cases have %d mistakes together", len(cases), len(want))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d mistakes together (-want +got):\n%s", len(want), diff)
			}
			t.Logf("%d mistakes together", len(want))
		})
	}
}

// onLine is what must be found where many mistakes stand: the code and the line.
func (e expectation) onLine(lines []string) string {
	return fmt.Sprintf("%4d %s[%s]: %s", e.Line, e.Severity, e.Code, strings.TrimSpace(lines[e.Line-1]))
}
