package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// snippet is a fenced block of a Markdown page.
type snippet struct {
	line         int
	format, text string
}

var fence = regexp.MustCompile("(?ms)^```(cue|yaml)\n(.*?)^```$")

// snippets returns the blocks of a page that are complete specs.
func snippets(page string) []snippet {
	var all []snippet
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		s := snippet{line: 1 + strings.Count(page[:m[0]], "\n"), format: page[m[2]:m[3]], text: page[m[4]:m[5]]}
		if strings.Contains(s.text, "version:") && strings.Contains(s.text, "resources:") {
			all = append(all, s)
		}
	}
	return all
}

// TestDocumentedSpecsAreRight vets every complete spec in the documentation.
func TestDocumentedSpecsAreRight(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary := provider.Binary(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	internals, err := filepath.Glob(filepath.Join(root, "docs", "internals", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, internals...)
	vetted := 0
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range snippets(string(page)) {
			spec := filepath.Join(t.TempDir(), "provider."+s.format)
			if err := os.WriteFile(spec, []byte(s.text), 0o644); err != nil {
				t.Fatal(err)
			}
			vetted++
			if printed, err := exec.Command(binary, "vet", spec).CombinedOutput(); err != nil {
				t.Errorf("%s, line %d: vet: %v\n%s", filepath.Base(path), s.line, err, printed)
			}
		}
	}
	if vetted < 5 {
		t.Errorf("found only %d complete specs in the documentation", vetted)
	}
}

// TestTheLanguagesFirstExampleIsFiles checks that the first spec in docs/language.md is
// equal to examples/files.cue.
func TestTheLanguagesFirstExampleIsFiles(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "language.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(root, "examples", "files.cue"))
	if err != nil {
		t.Fatal(err)
	}
	all := snippets(string(page))
	if len(all) == 0 {
		t.Fatal("docs/language.md has no complete spec")
	}
	if diff := cmp.Diff(string(want), all[0].text); diff != "" {
		t.Errorf("docs/language.md and examples/files.cue differ (-file +page):\n%s", diff)
	}
}

// TestExamplesHaveNoFindings vets every example: none has a mistake or a warning. Notes are
// allowed: they are about what the author has accepted.
func TestExamplesHaveNoFindings(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob(filepath.Join(root, "examples", "*"))
	if err != nil || len(examples) < 10 {
		t.Fatalf("found %d examples, %v", len(examples), err)
	}
	printed, err := exec.Command(provider.Binary(t), append([]string{"vet", "--format", "json"}, examples...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("vet: %v\n%s", err, printed)
	}
	var found []struct{ Severity string }
	if err := json.Unmarshal(printed, &found); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	for _, d := range found {
		if d.Severity != "note" {
			t.Errorf("vet printed:\n%s", printed)
		}
	}
}
