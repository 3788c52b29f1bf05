package load

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// withoutPlaces compares models but for where things stand.
func withoutPlaces() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreTypes(diag.Range{}, spec.Mark{}),
		cmpopts.IgnoreFields(spec.Node{}, "Marks"),
	}
}

func mustLoad(t *testing.T, src Source) *spec.Provider {
	t.Helper()
	doc, diags := Load(context.Background(), src)
	for _, d := range diags {
		t.Errorf("%s: %s[%s]: %s. %s (%s; %s)", d.Subject, d.Severity, d.Code, d.Summary, d.Detail, d.Context, d.Path)
	}
	return doc.Provider
}

func TestTwinsAreIdentical(t *testing.T) {
	inCUE := mustLoad(t, Source{Path: "../../examples/files.cue"})
	inYAML := mustLoad(t, Source{Path: "../../examples/files.yaml"})
	if diff := cmp.Diff(inCUE, inYAML, withoutPlaces()); diff != "" {
		t.Errorf("files.cue and files.yaml differ (-cue +yaml):\n%s", diff)
	}
}
