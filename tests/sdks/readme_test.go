package sdks

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/sdk"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestREADME checks and runs the programs of the README, with the provider of the README.
func TestREADME(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(t.TempDir(), "notes.cue")
	if err := os.WriteFile(spec, []byte(block(t, string(page), "cue")), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("Rain."))
	for _, l := range sdk.Languages() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			program := block(t, string(page), strings.ToLower(l.Name))
			w := l.Open(t, sdk.Schema(t, spec), t.TempDir())
			for _, c := range l.Checkers {
				if c.Builds {
					continue // Start fails
				}
				if found, printed := w.Check(t, c, program); len(found[0]) > 0 {
					t.Errorf("%s:\n%s", c.Name, printed)
				}
			}
			p := w.Start(t, spec, program)
			outputs := p.Do("up", "create=2")
			if diff := cmp.Diff(map[string]sdk.Output{"sum": {Value: hex.EncodeToString(sum[:])}}, outputs); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
			if text, err := os.ReadFile(filepath.Join(p.Stack.Dir, "notes", "monday.md")); err != nil || string(text) != "Rain." {
				t.Errorf("the note is %q, %v", text, err)
			}
			p.Do("up", "same=2")
			p.Do("destroy", "delete=2")
		})
	}
}

// block returns the first code block of a page in a language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no block in %s", language)
	}
	return m[1]
}
