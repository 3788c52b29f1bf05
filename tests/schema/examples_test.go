package schema_test

import (
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/spec/load"
)

func TestExamplesBind(t *testing.T) {
	specs, err := filepath.Glob("../../examples/*.*")
	if err != nil || len(specs) == 0 {
		t.Fatalf("examples %v, %v", specs, err)
	}
	for _, path := range specs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			doc, findings := load.Load(t.Context(), load.Source{Path: path})
			if findings.HasErrors() {
				t.Fatal(findings)
			}
			bind(t, doc.Provider)
		})
	}
}
