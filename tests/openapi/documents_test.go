package openapi

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TestDocumentsOfRealAPIs makes specs from documents that other people wrote: test data of a library that Pulumi's CLI is built from. Each
// spec has the resources that a reader of the document would name, and vet finds no error in it.
func TestDocumentsOfRealAPIs(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/pb33f/libopenapi")
	cmd.Dir = filepath.Join(root, "tests", "tools")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	for file, resources := range map[string]string{
		"petstorev2.json": "Order User",
		"petstorev3.json": "Order Pet User",
		"asana.yaml":      "CustomField Goal OrganizationExport Portfolio Project ProjectStatus Section Story Tag Task Team Webhook",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			printed := declprov(t, 0, "init", "real-api", dir, "--openapi", filepath.Join(module.Dir, "test_specs", file))
			declprov(t, 0, "vet", filepath.Join(dir, "real-api.cue"))
			_, table, _ := strings.Cut(printed, "\nResources:\n")
			table, _, _ = strings.Cut(table, "\n\n")
			for line := range strings.SplitSeq(table, "\n") {
				name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				if !strings.Contains(" "+resources+" ", " "+name+" ") {
					t.Errorf("%s is a resource", name)
				}
				resources = strings.TrimSpace(strings.ReplaceAll(" "+resources+" ", " "+name+" ", " "))
			}
			if resources != "" {
				t.Errorf("missing: %s", resources)
			}
		})
	}
}

// TestThePageShowsTheSpec makes the spec of the document on the page about OpenAPI: it contains the resource that the page shows.
func TestThePageShowsTheSpec(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "howto", "openapi.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := func(head string) string {
		_, after, found := strings.Cut(string(page), "\n```"+head+"\n")
		text, _, closed := strings.Cut(after, "```\n")
		if !found || !closed {
			t.Fatalf("the page has no block %s", head)
		}
		return text
	}
	dir := t.TempDir()
	document := filepath.Join(dir, "library.yaml")
	if err := os.WriteFile(document, []byte(block("yaml library.yaml")), 0o600); err != nil {
		t.Fatal(err)
	}
	declprov(t, 0, "init", "library", dir, "--openapi", document)
	spec, err := os.ReadFile(filepath.Join(dir, "library.cue"))
	if err != nil {
		t.Fatal(err)
	}
	if shown := block("cue"); !strings.Contains(string(spec), shown) {
		t.Errorf("the page shows\n%s\nthe spec is\n%s", shown, spec)
	}
}
