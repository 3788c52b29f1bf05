// Package schema binds the schemas that declprov generates with Pulumi's own
// binder, which is too heavy for the main module.
package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumi "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/engine/schema/schematest"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// noLoader refuses other packages: a schema of ours refers to none.
type noLoader struct{ pulumi.Loader }

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// bind generates the schema of a spec and binds it, without a finding.
func bind(t fataler, p *spec.Provider) *pulumi.Package {
	t.Helper()
	text, findings := schema.Pulumi(p)
	if len(findings) > 0 {
		t.Fatalf("the spec has findings: %v", findings)
	}
	return bindText(t, text)
}

func bindText(t fataler, text []byte) *pulumi.Package {
	t.Helper()
	var doc pulumi.PackageSpec
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("the schema is not Pulumi's: %v\n%s", err, text)
	}
	pkg, diags, err := pulumi.BindSpec(doc, noLoader{}, pulumi.ValidationOptions{})
	if err != nil || len(diags) > 0 {
		t.Fatalf("the schema does not bind cleanly: %v\n%v\n%s", err, diags, text)
	}
	return pkg
}

func TestEverythingBinds(t *testing.T) {
	pkg := bind(t, schematest.Everything())
	kinds := map[string]bool{}
	for _, r := range pkg.Resources {
		kinds[r.Token] = r.IsComponent
	}
	if diff := cmp.Diff(map[string]bool{
		"everything:index:Thing": false, "everything:index:Disk": false, "everything:index:Empty": false,
		"everything:index:Bare": true, "everything:index:Group": true,
	}, kinds); diff != "" {
		t.Errorf("the resources, and which are components (-want +got):\n%s", diff)
	}
}

func TestParameterizedBinds(t *testing.T) {
	text, findings := schema.Pulumi(schematest.Everything())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	text, err := schema.Parameterized(text, "declprov", "0.1.0", []byte("spec"))
	if err != nil {
		t.Fatal(err)
	}
	pkg := bindText(t, text)
	if pkg.Parameterization == nil || pkg.Parameterization.BasePlugin.Name != "declprov" || string(pkg.Parameterization.Parameter) != "spec" {
		t.Errorf("the parameterization is bound as %+v", pkg.Parameterization)
	}
}

func TestAnySpecBinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := schematest.Any(t)
		if names.Lint(p, nil).HasErrors() {
			return // a type requires itself
		}
		bind(t, p)
	})
}
