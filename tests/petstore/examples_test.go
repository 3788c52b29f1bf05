package petstore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/petstore"
)

// TestDocumentedExamples plays the life of each resource of the specs in examples, as each of
// its documented examples says.
func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	specs, err := filepath.Glob(filepath.Join(root, "examples", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, path := range specs {
		doc, findings := load.Load(t.Context(), load.Source{Path: path})
		if findings.HasErrors() {
			t.Fatal(findings)
		}
		for _, r := range doc.Provider.Resources {
			for _, e := range r.Examples {
				played++
				t.Run(filepath.Base(path)+"/"+e.Title, func(t *testing.T) {
					t.Parallel()
					store := petstore.Open()
					t.Cleanup(store.Close)
					cmd := exec.CommandContext(t.Context(), provider.Binary(t), "try", path, r.Name, "--example", e.Title)
					cmd.Dir = t.TempDir()
					cmd.Env = append(os.Environ(), store.Env()...)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		}
	}
	if played < 6 {
		t.Errorf("only %d examples", played)
	}
}
