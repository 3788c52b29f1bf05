package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions/file"
	"github.com/declprov/declprov/engine"
)

// Each documented example of a file action, as the create of a resource.
func TestFileExamples(t *testing.T) {
	for _, kind := range file.Family().Kinds {
		for _, x := range kind.Examples {
			t.Run(kind.Name+"/"+x.Summary, func(t *testing.T) {
				e, dir := newWorld().engine(t, `file: root: "."
resources: Example: {
	inputs: {}
	id: "it"
	create: `+strings.TrimSpace(x.Spec)+`
	delete: world: do: what: "remove"
}`)
				for name, text := range x.Files {
					path := filepath.Join(dir, filepath.FromSlash(name))
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Example"), Inputs: object()})
				if out.Err != nil {
					t.Error(out.Err)
				}
			})
		}
	}
}
