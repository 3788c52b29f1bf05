package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/layout"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestFormat formats every spec of the repository: its model is the same as before, with the
// comments that document it, and formatting it once more changes nothing. The examples are formatted.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, path := range append(specs(t, ".cue"), specs(t, ".yaml")...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		formatted := format(t, path, text)
		if filepath.Base(filepath.Dir(path)) == "examples" && string(formatted) != string(text) {
			t.Errorf("%s is not formatted: run declprov fmt examples/*", path)
		}
		model := func(text []byte) any {
			doc, _ := load.Load(t.Context(), load.Source{Path: "-", Format: filepath.Ext(path)[1:], Stdin: text})
			return doc.Provider
		}
		if diff := cmp.Diff(model(text), model(formatted), loadtest.WithoutPlaces()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", path, diff)
		}
	}
}

// TestFormatMistakes formats the specs with mistakes in YAML, whose layout is less usual. It
// compares their values and comments itself.
func TestFormatMistakes(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "tests", "mistakes", "testdata", "yaml", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	formatted := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := layout.Format(path, text); err == nil {
			format(t, path, text)
			formatted++
		}
	}
	if formatted < len(paths)*9/10 {
		t.Errorf("formatted only %d of %d specs", formatted, len(paths))
	}
}

// format formats a spec twice.
func format(t *testing.T, path string, text []byte) []byte {
	t.Helper()
	once, err := layout.Format(path, text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	mark := map[string]string{".cue": "//", ".yaml": "#"}[filepath.Ext(path)]
	if before, after := strings.Count(string(text), mark), strings.Count(string(once), mark); before != after {
		t.Errorf("%s: %d comments, and %d after formatting", path, before, after)
	}
	twice, err := layout.Format(path, once)
	if err != nil {
		t.Fatalf("%s, formatted: %v", path, err)
	}
	if diff := cmp.Diff(string(once), string(twice)); diff != "" {
		t.Errorf("%s is changed when it is formatted once more (-once +twice):\n%s", path, diff)
	}
	return once
}
