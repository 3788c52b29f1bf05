// Package loadtest has what the tests of the loader and of the packages below it share: sources
// with marks where a diagnostic is expected, and loads that must succeed.
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
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/source"
)

// WithoutPlaces compares models but for where things stand.
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

// Finding is what the tests compare of a diagnostic.
type Finding struct {
	Code string
	At   string // line:column-line:column
}

// Findings returns what the tests compare of diagnostics.
func Findings(diags diag.List) []Finding {
	var list []Finding
	for _, d := range diags {
		list = append(list, Finding{d.Code, fmt.Sprintf("%d:%d-%d:%d", d.Subject.Start.Line, d.Subject.Start.Column, d.Subject.End.Line, d.Subject.End.Column)})
	}
	return list
}

// Marked takes the marks «…» out of a source: what stands between them is where
// a diagnostic is expected.
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

// Mistake loads a source whose marks say where the one diagnostic is.
func Mistake(t *testing.T, format, src, code string) {
	t.Helper()
	clean, places := Marked(src)
	var want []Finding
	for _, at := range places {
		want = append(want, Finding{code, at})
	}
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

// Head is the least that a spec in CUE says.
const Head = "name: \"xy\", version: \"1.0.0\"\n"

// InInputs is a spec in CUE whose resource A has these inputs.
func InInputs(s string) string {
	return Head + "resources: A: {id: \"x\", create: file: write: path: \"x\", inputs: {\n" + s + "\n}}\n"
}

// Imports are the imports that a fragment needs: CUE refuses those it does
// not.
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

// HeadYAML is the least that a spec in YAML says.
const HeadYAML = "name: xy\nversion: 1.0.0\n"

// Folder writes files to a temporary Folder, and makes it the current one, so
// that what diagnostics call them is short.
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
