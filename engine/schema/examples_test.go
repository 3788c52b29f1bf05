package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec/load"
)

func TestFilesExample(t *testing.T) {
	of := func(path string) []byte {
		doc, findings := load.Load(t.Context(), load.Source{Path: path})
		if findings.HasErrors() {
			t.Fatal(findings)
		}
		text, findings := schema.Pulumi(doc.Provider)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		return text
	}
	cue := of("../../examples/files.cue")
	golden(t, "files.json", cue)
	if diff := cmp.Diff(string(cue), string(of("../../examples/files.yaml"))); diff != "" {
		t.Errorf("the YAML twin has another schema (-cue +yaml):\n%s", diff)
	}
}
