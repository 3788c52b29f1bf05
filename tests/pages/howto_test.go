package pages

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// address is the API of docs/howto.
const address = "https://api.example.com/v1"

// TestHowTo runs each page of docs/howto. Its specs have no warning.
func TestHowTo(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "howto", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("pages %v, %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "README.md" {
			continue // the list of the pages
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, env := home(t, "CI=") // as on the machine of an author
			p := open(t, filepath.Join("howto", name))
			here := openAPI(t) + "/v1"
			p.run(t, dir, env, address, here, `"5s"`, `"20ms"`, `"2s"`, `"20ms"`)
			for _, b := range p.blocks {
				if b.language == "cue" && b.file != "" {
					vet(t, filepath.Join(dir, b.file))
				}
			}
		})
	}
}

// vet fails if a spec has a mistake or a warning.
func vet(t *testing.T, spec string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), provider.Binary(t), "vet", "--strict", spec).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
