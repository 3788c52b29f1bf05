package names_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/names"
)

// finding is the part of a diagnostic that tests compare.
type finding struct {
	Code string
	Line int
	Path string
}

func line(n int) diag.Range { return diag.Point("x.cue", n, 1) }

func prop(n int, name string) *spec.Property {
	return &spec.Property{Name: name, Type: &spec.Type{Kind: spec.String}, Range: line(n)}
}

func object(fields ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func named(name string) *spec.Provider {
	return &spec.Provider{Metadata: spec.Metadata{Name: name, Version: "1.0.0", Range: line(1)}, Config: object()}
}

func with(inputs, outputs *spec.Type) *spec.Provider {
	p := named("x")
	p.Resources = []*spec.Resource{{Name: "Thing", Inputs: inputs, Outputs: outputs}}
	return p
}

func resources(names ...string) *spec.Provider {
	p := named("x")
	for i, n := range names {
		p.Resources = append(p.Resources, &spec.Resource{Name: n, Range: line(i + 1), Inputs: object(), Outputs: object()})
	}
	return p
}

// methods returns a spec of a resource with the properties size and oldName, and a
// method with an input for each name.
func methods(input string, names ...string) *spec.Provider {
	p := with(object(prop(1, "size")), object(prop(1, "oldName")))
	for i, name := range names {
		p.Resources[0].Methods = append(p.Resources[0].Methods, &spec.Function{
			Name: name, Range: line(i + 2), Inputs: object(prop(9, input)), Outputs: object(),
		})
	}
	p.Functions = []*spec.Function{{Name: "thingPoke", Range: line(10), Inputs: object(), Outputs: object()}}
	return p
}

// ephemerals returns a spec of an ephemeral with an output, and a function.
func ephemerals(name, function string) *spec.Provider {
	p := named("x")
	p.Functions = []*spec.Function{{Name: function, Range: line(3), Inputs: object(), Outputs: object()}}
	p.Ephemerals = []*spec.Ephemeral{{Name: name, Range: line(1), Inputs: object(), Outputs: object(prop(2, "a-b"))}}
	return p
}

func config(f *spec.Property) *spec.Provider {
	p := named("x")
	p.Config = object(f)
	return p
}

func languages(options map[string]any) *spec.Provider {
	p := named("x")
	p.Language = options
	return p
}

// endless has two types that require each other.
func endless() *spec.Provider {
	p := named("x")
	p.Types = spec.Types{
		"#A": {Name: "A", At: line(1), Type: object(&spec.Property{Name: "b", Required: true, Type: &spec.Type{Ref: "#B"}})},
		"#B": {Name: "B", At: line(2), Type: object(&spec.Property{Name: "a", Required: true, Type: &spec.Type{Ref: "#A"}})},
	}
	return p
}

func TestNames(t *testing.T) {
	nested := object(&spec.Property{Name: "list", Type: &spec.Type{Kind: spec.List, Elem: object(prop(3, "a.b"), prop(4, "id"))}})
	for _, tt := range []struct {
		name string
		spec *spec.Provider
		want []finding
	}{
		{"fine", with(object(prop(1, "class"), prop(2, "from"), prop(3, "_x"), prop(5, "opts")), object(prop(4, "class"))), nil},
		{"signs", with(object(prop(1, "a-b"), prop(2, "1a")), object()), []finding{
			{names.CodeName, 1, "resources.Thing.inputs.a-b"}, {names.CodeName, 2, "resources.Thing.inputs.1a"},
		}},
		{"nested, where id is free", with(nested, object()), []finding{{names.CodeName, 3, "resources.Thing.inputs.list.a.b"}}},
		{"reserved", with(object(prop(1, "urn"), prop(2, "pulumi"), prop(3, "constructor")), object(prop(4, "id"), prop(5, "__x"))), []finding{
			{names.CodeReserved, 1, "resources.Thing.inputs.urn"},
			{names.CodeReserved, 2, "resources.Thing.inputs.pulumi"},
			{names.CodeReserved, 3, "resources.Thing.inputs.constructor"},
			{names.CodeReserved, 4, "resources.Thing.outputs.id"},
			{names.CodeReserved, 5, "resources.Thing.outputs.__x"},
		}},
		{"version in config", config(prop(1, "version")), []finding{{names.CodeReserved, 1, "config.version"}}},
		{"alike", with(object(prop(1, "fooBar"), prop(2, "foo_bar")), object(prop(3, "FooBar"))), []finding{
			{names.CodeSimilar, 2, "resources.Thing.inputs.foo_bar"}, {names.CodeSimilar, 3, "resources.Thing.outputs.FooBar"},
		}},
		{"resources", resources("A", "a", "Provider", "X-Y"), []finding{
			{names.CodeSimilar, 2, "resources.a"}, {names.CodeReserved, 3, "resources.Provider"}, {names.CodeName, 4, "resources.X-Y"},
		}},
		{"methods", methods("x", "ask", "Size", "old_name", "ASK", "get", "poke"), []finding{
			{names.CodeSimilar, 3, "resources.Thing.methods.Size"},
			{names.CodeSimilar, 4, "resources.Thing.methods.old_name"},
			{names.CodeSimilar, 5, "resources.Thing.methods.ASK"},
			{names.CodeReserved, 6, "resources.Thing.methods.get"},
			{names.CodeSimilar, 7, "resources.Thing.methods.poke"},
		}},
		{"inputs of methods", methods("Big", "ask"), []finding{{names.CodeName, 9, "resources.Thing.methods.ask.inputs.Big"}}},
		{"ephemerals", ephemerals("Pass", "openPass"), []finding{{names.CodeSimilar, 1, "ephemerals.Pass"}, {names.CodeName, 2, "ephemerals.Pass.outputs.a-b"}}},
		{"package", named("pulumi"), []finding{{names.CodeReserved, 1, "name"}}},
		{"package with a sign", named("a.b"), []finding{{names.CodeName, 1, "name"}}},
		{"language", languages(map[string]any{"go": "x", "java": map[string]any{}}), []finding{{names.CodeLanguage, 1, "language.go"}}},
		{"endless", endless(), []finding{{names.CodeEndless, 1, "#A"}, {names.CodeEndless, 2, "#B"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings := names.Lint(tt.spec, nil)
			var got []finding
			for _, d := range findings {
				got = append(got, finding{d.Code, d.Subject.Start.Line, d.Path})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLintDoesNotRepeat(t *testing.T) {
	p := with(object(prop(1, "a-b"), prop(2, "urn"), prop(3, "x-y")), object())
	known := diag.List{
		{Code: names.CodeName, Subject: line(1)},
		{Code: names.CodeName, Subject: line(2)},
	}
	var got []finding
	for _, d := range names.Lint(p, known) {
		got = append(got, finding{d.Code, d.Subject.Start.Line, d.Path})
	}
	want := []finding{
		{names.CodeReserved, 2, "resources.Thing.inputs.urn"}, {names.CodeName, 3, "resources.Thing.inputs.x-y"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
