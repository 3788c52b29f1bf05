// Package loadtest provides helpers for the tests of the loader and its packages:
// sources with marks for expected diagnostics, and loads that must succeed.
package loadtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/source"
)

// WithoutPlaces returns options that ignore positions when models are compared.
func WithoutPlaces() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreTypes(diag.Range{}, spec.Mark{}),
		cmpopts.IgnoreFields(spec.Node{}, "Marks"),
	}
}

// Model returns the model of a source that must load.
func Model(t *testing.T, src load.Source) *spec.Provider {
	t.Helper()
	doc, diags := load.Load(context.Background(), src)
	for _, d := range diags {
		t.Errorf("%s: %s[%s]: %s. %s (%s; %s)", d.Subject, d.Severity, d.Code, d.Summary, d.Detail, d.Context, d.Path)
	}
	return doc.Provider
}

// Finding is the part of a diagnostic that tests compare.
type Finding struct {
	Code string
	At   string // line:column-line:column
}

// Findings returns the parts of diagnostics that tests compare.
func Findings(diags diag.List) []Finding {
	var list []Finding
	for _, d := range diags {
		list = append(list, Finding{d.Code, fmt.Sprintf("%d:%d-%d:%d", d.Subject.Start.Line, d.Subject.Start.Column, d.Subject.End.Line, d.Subject.End.Column)})
	}
	return list
}

// Marked removes the marks «…» from a source, and returns the marked places, at which
// diagnostics are expected.
func Marked(src string) (clean string, places []string) {
	line, column := 1, 1
	var b strings.Builder
	var open []string
	for _, r := range src {
		switch r {
		case '«':
			open = append(open, fmt.Sprintf("%d:%d", line, column))
		case '»':
			places = append(places, fmt.Sprintf("%s-%d:%d", open[len(open)-1], line, column))
			open = open[:len(open)-1]
		case '\n':
			line, column = line+1, 1
			b.WriteRune(r)
		default:
			column++
			b.WriteRune(r)
		}
	}
	return b.String(), places
}

// Mistake loads a source, and compares its diagnostic with the marked place and code.
func Mistake(t *testing.T, format, src, code string) {
	t.Helper()
	clean, places := Marked(src)
	want := lists.Map(places, func(at string) Finding { return Finding{code, at} })
	_, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(clean), Format: format})
	if diff := cmp.Diff(want, Findings(diags)); diff != "" {
		t.Errorf("diagnostics differ (-want +got):\n%s\n%s", diff, clean)
		for _, d := range diags {
			t.Logf("%s: %s[%s]: %s. %s (%s; %s)", d.Subject, d.Severity, d.Code, d.Summary, d.Detail, d.Context, d.Path)
		}
	}
	for _, d := range diags {
		if d.Summary == "" || d.Detail == "" || strings.HasSuffix(d.Summary, ".") || d.Subject.File != source.StdinName {
			t.Errorf("summary %q at %s", d.Summary, d.Subject)
		}
	}
}

// Head is the shortest valid beginning of a spec in CUE.
const Head = "name: \"xy\", version: \"1.0.0\"\n"

// InInputs returns a spec in CUE whose resource A has these inputs.
func InInputs(s string) string {
	return Head + "resources: A: {id: \"x\", create: file: write: path: \"x\", inputs: {\n" + s + "\n}}\n"
}

// Imports returns the imports that a fragment requires. CUE rejects unused imports.
func Imports(src string) string {
	imports := ""
	for _, pkg := range []string{"strings", "list", "struct", "math"} {
		if strings.Contains(src, pkg+".") {
			imports += "import \"" + pkg + "\"\n"
		}
	}
	if strings.Contains(src, "spec.") {
		imports += "import \"declprov.dev/spec\"\n"
	}
	return imports
}

// HeadYAML is the shortest valid beginning of a spec in YAML.
const HeadYAML = "name: xy\nversion: 1.0.0\n"

// Folder writes files to a temporary folder and makes it the working directory, so
// that diagnostics show short names.
func Folder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}
