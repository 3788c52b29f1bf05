package schema_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	pulumi "github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec/load"
)

// oneLoader loads one package.
type oneLoader struct {
	pulumi.ReferenceLoader
	pkg *pulumi.Package
}

func (l oneLoader) LoadPackageV2(context.Context, *pulumi.PackageDescriptor) (*pulumi.Package, error) {
	return l.pkg, nil
}

func (l oneLoader) LoadPackageReferenceV2(context.Context, *pulumi.PackageDescriptor) (pulumi.PackageReference, error) {
	return l.pkg.Reference(), nil
}

// TestProgramsWithLiterals: Pulumi's generator of programs, which pulumi import calls, accepts literals of all kinds, alone, in
// unions of literals, and as what tells the structs of a union apart.
func TestProgramsWithLiterals(t *testing.T) {
	literals := map[string]string{"int": "5", "zero": "0", "negative": "-1", "large": "5000000000", "number": "1.5", "bool": "true", "string": `"auto"`}
	types := map[string]string{}
	for a, x := range literals {
		types["only "+a] = x
		for b, y := range literals {
			if a < b {
				types["either "+a+" or "+b] = x + " | " + y
				types["any of "+a+" and "+b] = x + " | " + y + ` | "other"`
				types["structs by "+a+" and "+b] = fmt.Sprintf(`{type: %s, a: string} | {type: %s, b: string}`, x, y)
			}
		}
	}
	for name, of := range types {
		for _, optional := range []string{"", "?"} {
			t.Run(name+optional, func(t *testing.T) {
				doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`name: "pets"
version: "1.0.0"
http: baseURL: "https://pets.example.com"
#Of: ` + of + `
resources: Pet: {inputs: {name: string, one` + optional + `: ` + of + `, within` + optional + `: {of: #Of}, many?: [...#Of]}, rest: "/pets"}
`)})
				if diags.HasErrors() {
					t.Fatalf("%s: %v", of, diags)
				}
				text, _ := schema.Pulumi(doc.Provider)
				parser := syntax.NewParser()
				if err := parser.ParseFile(strings.NewReader("resource pet \"pets:index:Pet\" {\n  name = \"a\"\n}\n"), "program.pp"); err != nil {
					t.Fatal(err)
				}
				if _, _, err := pcl.BindProgram(parser.Files, oneLoader{pkg: bindText(t, text)}, pcl.SkipResourceTypechecking, pcl.AllowMissingProperties); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
