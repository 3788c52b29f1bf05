package editor

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

// initialize runs declprov init, and returns the folder of the provider.
func initialize(t *testing.T, template string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes")
	if out, err := exec.CommandContext(t.Context(), provider.Binary(t), "init", "notes", dir, "--template", template).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// read returns the text of the spec in a folder.
func read(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "notes.cue"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes a file in a folder.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLanguageServer asks CUE's language server at places of a spec that init wrote, while its
// author types.
func TestLanguageServer(t *testing.T) {
	t.Parallel()
	dir := initialize(t, "component")
	text := read(t, dir)
	text = strings.Replace(text, `file: root: "sites"`, "file: {\n\troot: \"sites\"\n\tr0\n}\npermissions: {\n\tw0\n}", 1)
	text = strings.Replace(text, "\tid: \"${inputs.path}\"\n", "\tid: \"${inputs.path}\"\n\tl0\n", 1)
	text = strings.Replace(text, `delete: file: delete: path: "${id}"`, "delete: {\n\tt0\n\tfile: {\n\t\td0\n\t\tdelete: {\n\t\t\tpath: \"${id}\"\n\t\t\ti0\n\t\t}\n\t}\n}", 1)
	text = strings.Replace(text, "\tchildren: {\n", "\tx0\n\tchildren: {\n", 1)
	s := edit(t, dir, "notes.cue", text+"\nq0\n")
	for place, want := range map[string]string{
		"\nq|0\n":   "resources components functions http exec maxValues",
		"\tr|0\n":   "root retry",
		"\tw|0\n":   "write hosts packages",
		"\tl|0\n":   "list read rest consistency methods",
		"\tt|0\n":   "timeout until steps return http",
		"\t\td|0\n": "delete unpack write",
		"\t\ti|0\n": "recursive root",
		"\tx|0\n":   "return children",
	} {
		got := s.completions(t, place)
		for _, label := range strings.Fields(want) {
			if !got[label] {
				t.Errorf("%q: no completion %s in %v", place, label, got)
			}
		}
	}
	for place, want := range map[string]string{
		"na|me:    \"notes\"":                     "The name of the provider",
		"res|ources: File":                        "The resource types.",
		"up|date: file":                           "Without it, every change replaces the resource.",
		"file: wri|te: {path: \"${inputs.path}\"": "Writes a file atomically.",
		"overw|rite":                              "Replace an existing file.",
		"chil|dren: {":                            "The resources of the component, by key.",
	} {
		if got := s.hover(t, place); !strings.Contains(got, want) {
			t.Errorf("%q: the server explains %q, expected %q", place, got, want)
		}
	}
	if file := s.definition(t, "overw|rite"); file != "spec.cue" {
		t.Errorf("the definition of overwrite is in %q", file)
	}
}

// TestDefinitionsFitSpecs checks every spec of the repository, and one with a misspelt key, with
// `cue vet` and the definitions.
func TestDefinitionsFitSpecs(t *testing.T) {
	t.Parallel()
	dir := initialize(t, "files")
	packages := regexp.MustCompile(`(?m)^package (\w+)`)
	for _, path := range specs(t, ".cue") {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, name := string(content), "spec"
		if m := packages.FindStringSubmatch(text); m != nil {
			name = m[1]
		} else {
			text = "package spec\n" + text
		}
		folder := filepath.Join(dir, "all", strings.NewReplacer("/", "_", ".", "_").Replace(path))
		write(t, folder, "spec.cue", text)
		write(t, folder, "editor.cue", "@if(editor)\n\npackage "+name+"\n\nimport \"declprov.dev/spec\"\n\nspec.#Provider\n")
	}
	vet := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), tools.Need(t, tools.CUE), "vet", "-c=false", "-t", "editor", "./...")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := vet(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	write(t, dir, "notes.cue", strings.Replace(read(t, dir), "overwrite: true", "overwrit: true", 1))
	if out, err := vet(); err == nil || !strings.Contains(out, "overwrit: field not allowed") {
		t.Errorf("a misspelt key: %v\n%s", err, out)
	}
}
