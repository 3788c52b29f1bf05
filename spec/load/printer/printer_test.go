package printer_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/printer"
)

// specs returns the specs of the repository: the examples, those of the tests, and those
// of the manual.
func specs(t *testing.T) map[string]load.Source {
	t.Helper()
	sources := map[string]load.Source{}
	for _, pattern := range []string{"../../../examples/*.cue", "../../../examples/*.yaml", "../testdata/*.cue", "testdata/*.cue", "../../../tests/*/*.cue", "../../../tests/*/*/*.cue"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			sources[strings.TrimPrefix(path, "../../../")] = load.Source{Path: path}
		}
	}
	manual, err := os.ReadFile("../../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range regexp.MustCompile("(?s)```cue\n(name: .*?)```").FindAllSubmatch(manual, -1) {
		sources["docs/language.md, spec "+string(rune('a'+i))] = load.Source{Path: "-", Stdin: m[1], Format: "cue"}
	}
	return sources
}

// TestPrintedSpecsHaveTheSameModel prints every spec as CUE and as YAML, and loads it
// again.
func TestPrintedSpecsHaveTheSameModel(t *testing.T) {
	t.Parallel()
	for name, src := range specs(t) {
		doc, diags := load.Load(t.Context(), src)
		if diags.HasErrors() && !strings.HasPrefix(name, "testdata") {
			continue // a mistake that a test shows, or a part of a package
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asCUE, err := printer.CUE(doc.Provider)
			if err != nil {
				t.Fatal(err)
			}
			if hasShorthand(doc.Provider) { // its types of responses have names in print only
				doc.Provider = loadtest.Model(t, load.Source{Path: "-", Stdin: asCUE, Format: "cue"})
			}
			compare(t, doc.Provider, asCUE, "cue")
			asYAML, err := printer.YAML(doc.Provider)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, doc.Provider, asYAML, "yaml")
		})
	}
}

// hasShorthand reports whether a resource has operations that come from `rest`.
func hasShorthand(p *spec.Provider) bool {
	return slices.ContainsFunc(p.Resources, func(r *spec.Resource) bool { return r.Read != nil && r.Read.Rest })
}

// compare compares the model of a printed spec with the one that was printed.
func compare(t *testing.T, want *spec.Provider, text []byte, format string) {
	t.Helper()
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: text, Format: format})
	if diags.HasErrors() {
		t.Errorf("%s: %+v", format, diags)
	}
	got := doc.Provider
	same := cmp.Options{
		loadtest.WithoutPlaces(), cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(spec.Operation{}, "Rest"),
		// Definitions of responses may have other names.
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Text" }, cmp.Comparer(func(a, b string) bool {
			return a == b || strings.HasPrefix(a, "#") && strings.HasPrefix(b, "#")
		})),
	}
	if diff := cmp.Diff(want, got, same); diff != "" || t.Failed() {
		t.Errorf("%s: the model differs (-want +got):\n%s\n%s", format, diff, text)
	}
}
