package schema_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumi "github.com/pulumi/pulumi/pkg/v3/codegen/schema"

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

// TestLoadedTypesBind shows that what the loader makes of every form of type is
// what the schema expects of it.
func TestLoadedTypesBind(t *testing.T) {
	doc, findings := load.Load(t.Context(), load.Source{Path: "testdata/types.cue"})
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	pkg := bind(t, doc.Provider)
	var tokens []string
	for _, def := range pkg.Types {
		switch def := def.(type) {
		case *pulumi.ObjectType:
			if def.IsPlainShape() {
				tokens = append(tokens, def.Token)
			}
		case *pulumi.EnumType:
			tokens = append(tokens, def.Token)
		}
	}
	slices.Sort(tokens)
	want := []string{
		"types:index:ConfigLimits",
		"types:index:Rule",
		"types:index:RuleProtocol",
		"types:index:Size",
		"types:index:ThingKind",
		"types:index:ThingLevel",
		"types:index:ThingOptions",
		"types:index:ThingOptionsDeep",
		"types:index:ThingRatio",
		"types:index:ThingShapeCircle",
		"types:index:ThingShapeSquare",
		"types:index:ThingStateResult",
	}
	if diff := cmp.Diff(want, tokens); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}
