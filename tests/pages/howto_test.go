package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
			p.run(t, dir, env, address, here, `"5s"`, `"20ms"`, `"2s"`, `"20ms"`, `"30s"`, `"1s"`)
			for _, b := range p.blocks {
				if b.language == "cue" && b.file != "" {
					vet(t, filepath.Join(dir, b.file))
				}
			}
		})
	}
}

// TestHowToPaginate runs the spec of the page with each way to paginate in its table.
func TestHowToPaginate(t *testing.T) {
	t.Parallel()
	p := open(t, filepath.Join("howto", "pagination.md"))
	ways := regexp.MustCompile("(?m)^\\| .* \\| `(paginate: .*)` \\|$").FindAllStringSubmatch(p.text, -1)
	if len(ways) != 5 {
		t.Fatalf("the page has %d ways", len(ways))
	}
	written := regexp.MustCompile(`paginate: cursor: \{.*\}"?\}`)
	for _, way := range ways {
		spec := filepath.Join(t.TempDir(), "articles.cue")
		text := written.ReplaceAllLiteralString(p.file(t, "articles.cue"), way[1]+"}")
		if !strings.Contains(text, way[1]) {
			t.Fatalf("the spec of the page paginates differently than expected:\n%s", text)
		}
		write(t, spec, strings.Replace(text, address, openAPI(t)+"/v1", 1))
		vet(t, spec)
		// The third article is on the second page.
		try := exec.CommandContext(t.Context(), provider.Binary(t), "try", spec, "Article", "title=Third")
		try.Env = append(os.Environ(), "DECLPROV_JOURNAL="+t.TempDir())
		if out, err := try.CombinedOutput(); err == nil || !strings.Contains(string(out), `it exists already (its id is "3")`) {
			t.Errorf("%s: %v\n%s", way[1], err, out)
		}
	}
}

// vet fails if a spec has a mistake or a warning.
func vet(t *testing.T, spec string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), provider.Binary(t), "vet", "--strict", spec).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
