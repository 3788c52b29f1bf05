package printer_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
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
	if !t.Failed() && equal(reflect.ValueOf(want), reflect.ValueOf(got), map[[2]unsafe.Pointer]bool{}) {
		return
	}
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

// equal reports whether two models are equal, as compare means it. It reports false where it
// cannot tell, for cmp.Diff to decide, which with the race detector takes twenty times as long.
// met are the pairs of pointers that are being compared.
func equal(a, b reflect.Value, met map[[2]unsafe.Pointer]bool) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Invalid: // nil in an interface
		return true
	case reflect.Pointer:
		pair := [2]unsafe.Pointer{a.UnsafePointer(), b.UnsafePointer()}
		if met[pair] || a.IsNil() || b.IsNil() {
			return met[pair] || a.IsNil() == b.IsNil()
		}
		met[pair] = true
		return equal(a.Elem(), b.Elem(), met)
	case reflect.Interface:
		return equal(a.Elem(), b.Elem(), met)
	case reflect.Struct:
		return equalFields(a, b, met)
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i), met) {
				return false
			}
		}
		return true
	case reflect.Map:
		for key, value := range a.Seq2() {
			if !equal(value, b.MapIndex(key), met) {
				return false
			}
		}
		return a.Len() == b.Len()
	default:
		return a.Comparable() && a.Equal(b)
	}
}

// equalFields is equal for structs. It ignores what the options of compare ignore.
func equalFields(a, b reflect.Value, met map[[2]unsafe.Pointer]bool) bool {
	of := a.Type()
	if of == reflect.TypeFor[diag.Range]() || of == reflect.TypeFor[spec.Mark]() {
		return true
	}
	for i := range of.NumField() {
		field, x, y := of.Field(i), a.Field(i), b.Field(i)
		switch {
		case of == reflect.TypeFor[spec.Node]() && field.Name == "Marks", of == reflect.TypeFor[spec.Operation]() && field.Name == "Rest":
		case !field.IsExported():
			return false
		case field.Name == "Text" && x.Kind() == reflect.String && strings.HasPrefix(x.String(), "#") && strings.HasPrefix(y.String(), "#"):
		case !equal(x, y, met):
			return false
		}
	}
	return true
}
