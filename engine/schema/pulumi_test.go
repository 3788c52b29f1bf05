package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/engine/schema/schematest"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a schema, indented, with the file of that name.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

func TestEverything(t *testing.T) {
	text, findings := schema.Pulumi(schematest.Everything())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	golden(t, "everything.json", text)
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := schematest.Any(t)
		before, findings := schema.Pulumi(p)
		slices.Reverse(p.Resources)
		for _, r := range p.Resources {
			slices.Reverse(r.Inputs.Fields)
			slices.Reverse(r.Outputs.Fields)
		}
		slices.Reverse(p.Config.Fields)
		after, again := schema.Pulumi(p)
		if diff := cmp.Diff(string(before), string(after)); diff != "" {
			t.Errorf("in another order the schema differs (-before +after):\n%s", diff)
		}
		if len(findings) != len(again) {
			t.Errorf("in another order there are %d findings, before %d", len(again), len(findings))
		}
	})
}

func TestSpecIsLeftAsItWas(t *testing.T) {
	p := schematest.Everything()
	schema.Pulumi(p)
	if diff := cmp.Diff(schematest.Everything(), p); diff != "" {
		t.Errorf("the spec was changed (-before +after):\n%s", diff)
	}
}

// finding is what tests assert of a diagnostic.
type finding struct {
	Code string
	Line int
	Path string
}

func TestNames(t *testing.T) {
	line := func(n int) diag.Range { return diag.Point("x.cue", n, 1) }
	prop := func(n int, name string) *spec.Property {
		return &spec.Property{Name: name, Type: &spec.Type{Kind: spec.String}, Range: line(n)}
	}
	object := func(fields ...*spec.Property) *spec.Type { return &spec.Type{Kind: spec.Object, Fields: fields} }
	with := func(inputs, outputs *spec.Type) *spec.Provider {
		return &spec.Provider{
			Metadata: spec.Metadata{Name: "x", Version: "1.0.0"}, Config: object(),
			Resources: []*spec.Resource{{Name: "Thing", Inputs: inputs, Outputs: outputs}},
		}
	}
	resources := func(names ...string) *spec.Provider {
		p := with(object(), object())
		p.Resources = nil
		for i, n := range names {
			p.Resources = append(p.Resources, &spec.Resource{Name: n, Range: line(i + 1), Inputs: object(), Outputs: object()})
		}
		return p
	}
	config := func(f *spec.Property) *spec.Provider {
		p := resources()
		p.Config = object(f)
		return p
	}
	named := func(name string) *spec.Provider {
		p := resources()
		p.Name, p.Range = name, line(1)
		return p
	}
	endless := resources()
	endless.Types = spec.Types{
		"#A": {Name: "A", At: line(1), Type: object(&spec.Property{Name: "b", Required: true, Type: &spec.Type{Ref: "#B"}})},
		"#B": {Name: "B", At: line(2), Type: object(&spec.Property{Name: "a", Required: true, Type: &spec.Type{Ref: "#A"}})},
	}
	nested := object(&spec.Property{Name: "list", Type: &spec.Type{Kind: spec.List, Elem: object(prop(3, "a.b"), prop(4, "id"))}})
	for _, tt := range []struct {
		name string
		spec *spec.Provider
		want []finding
	}{
		{"fine", with(object(prop(1, "class"), prop(2, "from"), prop(3, "_x"), prop(5, "opts")), object(prop(4, "class"))), nil},
		{"signs", with(object(prop(1, "a-b"), prop(2, "1a")), object()), []finding{
			{schema.CodeName, 1, "resources.Thing.inputs.a-b"}, {schema.CodeName, 2, "resources.Thing.inputs.1a"},
		}},
		{"nested, where id is free", with(nested, object()), []finding{{schema.CodeName, 3, "resources.Thing.inputs.list.a.b"}}},
		{"reserved", with(object(prop(1, "urn"), prop(2, "pulumi"), prop(3, "constructor")), object(prop(4, "id"), prop(5, "__x"))), []finding{
			{schema.CodeReserved, 1, "resources.Thing.inputs.urn"}, {schema.CodeReserved, 2, "resources.Thing.inputs.pulumi"},
			{schema.CodeReserved, 3, "resources.Thing.inputs.constructor"}, {schema.CodeReserved, 4, "resources.Thing.outputs.id"},
			{schema.CodeReserved, 5, "resources.Thing.outputs.__x"},
		}},
		{"version in config", config(prop(1, "version")), []finding{{schema.CodeReserved, 1, "config.version"}}},
		{"alike", with(object(prop(1, "fooBar"), prop(2, "foo_bar")), object(prop(3, "FooBar"))), []finding{
			{schema.CodeSimilar, 2, "resources.Thing.inputs.foo_bar"}, {schema.CodeSimilar, 3, "resources.Thing.outputs.FooBar"},
		}},
		{"resources", resources("A", "a", "Provider", "X-Y"), []finding{
			{schema.CodeSimilar, 2, "resources.a"}, {schema.CodeReserved, 3, "resources.Provider"}, {schema.CodeName, 4, "resources.X-Y"},
		}},
		{"package", named("pulumi"), []finding{{schema.CodeReserved, 1, "name"}}},
		{"package with a sign", named("a.b"), []finding{{schema.CodeName, 1, "name"}}},
		{"endless", endless, []finding{{schema.CodeEndless, 1, "#A"}, {schema.CodeEndless, 2, "#B"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, findings := schema.Pulumi(tt.spec)
			var got []finding
			for _, d := range findings {
				got = append(got, finding{d.Code, d.Subject.Start.Line, d.Path})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if (text == nil) != findings.HasErrors() {
				t.Errorf("with %d findings the schema is %q", len(findings), text)
			}
		})
	}
}
