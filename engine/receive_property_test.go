package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Laws of what arrives: a response that fits its type is projected exactly, with what
// the type does not declare left out, unless it is open. One that nearly fits is an
// error that names the member, by its declared name and by that on the wire. The type
// has names by the rules of the spec, of a resource and of definitions, and of its own.
func TestResponseLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := append([]string{""}, spec.WireRules...)
		g := &responseGen{types: spec.Types{}, ofSpec: rapid.SampledFrom(rules).Draw(t, "rule of the spec"), resource: rapid.Bool().Draw(t, "resource")}
		if g.rule = g.ofSpec; g.resource {
			if ofResource := rapid.SampledFrom(rules).Draw(t, "rule of the resource"); ofResource != "" {
				g.rule, g.ofResource = ofResource, ofResource
			}
		}
		declared := g.object(t, 3)
		declared.Open = false // as outputs are
		g.types["Body"] = &spec.Named{Name: "Body", Type: declared}
		came, want := g.value(t, declared, "body", "body")
		w := newWorld()
		e := g.engine(t, w, declared)

		broken := g.breakOne(t)
		if rapid.IntRange(0, 20).Draw(t, "whole") == 0 {
			came, broken = []any{came}, &fault{path: "body", wire: "body"}
		}
		w.on("get", answers(came))
		got, err := g.ask(t, e)
		if broken == nil {
			if err != nil {
				t.Fatalf("%v\n%s is refused: %v", came, g.rule, err)
			}
			if diff := cmp.Diff(want.AsMap(), got, values); diff != "" {
				t.Fatalf("%v (-want +got):\n%s", came, diff)
			}
			return
		}
		var misfit *engine.MisfitError
		if !errors.As(err, &misfit) {
			t.Fatalf("%v: %s passes: %v, %v", came, broken.path, got, err)
		}
		if misfit.Path != broken.path || misfit.Wire != broken.wire || (misfit.Hint != "") != broken.hint {
			t.Fatalf("%v: %+v is told as %+v", came, broken, misfit)
		}
		if !strings.Contains(err.Error(), broken.path) || !strings.Contains(err.Error(), broken.wire) {
			t.Fatalf("%+v: %v", broken, err)
		}
	})
}

// ask gives what the step's response becomes: as a function's result, or as a
// resource's outputs.
func (g *responseGen) ask(t *rapid.T, e *engine.Engine) (property.Map, error) {
	if !g.resource {
		out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "get"})
		return out.Return, err
	}
	named := object("name", "a")
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "a", Inputs: named, Outputs: named}})
	if out.Err != nil || out.State == nil {
		return property.Map{}, out.Err
	}
	return out.State.Outputs.Delete("name"), nil
}

// engine is that of a function or resource which gives what its step is typed to.
func (g *responseGen) engine(t *rapid.T, w *world, of *spec.Type) *engine.Engine {
	node := func(text string) *spec.Node {
		return &spec.Node{Kind: spec.StringNode, Text: text, Range: diag.Point("generated", 1, 1)}
	}
	operation := func(kind string, args ...spec.Field) *spec.Operation {
		block := &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{{Name: kind, Value: &spec.Node{Kind: spec.MapNode, Fields: args}}}}
		return &spec.Operation{Steps: []*spec.Step{{Actions: []spec.Field{{Name: "world", Value: block}}}}}
	}
	what := func(text string) spec.Field { return spec.Field{Name: "what", Value: node(text)} }
	get := operation("typed", what("get"), spec.Field{Name: "returns", Value: &spec.Node{Kind: spec.StringNode, Text: "#Body"}})
	if g.xml != "" {
		call := &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{
			{Name: "path", Value: node("/x")}, {Name: "response", Value: node("xml")}, {Name: "returns", Value: &spec.Node{Kind: spec.StringNode, Text: "#Body"}},
		}}
		get = &spec.Operation{Steps: []*spec.Step{{Actions: []spec.Field{{Name: "http", Value: call}}}}}
	}
	p := &spec.Provider{
		Metadata: spec.Metadata{Name: "generated", Version: "1.0.0"}, Config: &spec.Type{Kind: spec.Object}, Wire: g.ofSpec, Types: g.types,
	}
	if g.xml != "" {
		base := spec.Field{Name: "baseURL", Value: node(g.xml)}
		p.Families = []spec.Field{{Name: "http", Value: &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{base}}}}
	}
	if g.resource {
		name := &spec.Property{Name: "name", Type: &spec.Type{Kind: spec.String}, Required: true, Replace: true}
		p.Resources = []*spec.Resource{{
			Name: "Thing", Inputs: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{name}}, Outputs: of, ID: node("${inputs.name}"), Wire: g.ofResource,
			Create: operation("do", what("make")), Read: get, Delete: operation("do", what("remove")),
		}}
	} else {
		p.Functions = []*spec.Function{{Name: "get", Inputs: &spec.Type{Kind: spec.Object}, Outputs: of, Operation: get}}
	}
	prog, diags := engine.Compile(p, w.families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	e, err := prog.Configure(t.Context(), property.Map{}, engine.Options{Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
