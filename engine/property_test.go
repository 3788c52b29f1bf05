package engine_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Laws that hold for any schema and any inputs: check is idempotent, inputs that
// are the same do not differ, a diff names what was changed, and a resource that
// was just created is as it should be.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := genObject(t, 3)
		e := generated(t, inputs)
		given := genValue(t, inputs).AsMap()
		out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: given})
		if err != nil || len(out.Failures) > 0 {
			t.Fatalf("values of the type are refused: %v %+v", err, out.Failures)
		}
		again, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: out.Inputs, Old: given, HasOld: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(out.Inputs, again.Inputs, values); diff != "" || len(again.Failures) > 0 {
			t.Fatalf("check is not idempotent: %+v\n%s", again.Failures, diff)
		}
		for name, v := range given.All {
			if now := out.Inputs.Get(name); !contains(now, v) {
				t.Fatalf("check changed %s from %v to %v", name, shown(v), shown(now))
			}
		}
		state := engine.State{ID: "x", Inputs: out.Inputs, Outputs: out.Inputs}
		diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: out.Inputs})
		if err != nil || len(diff.Changes) > 0 || diff.Force {
			t.Fatalf("the same inputs differ: %+v, %v", diff, err)
		}
		other := genValue(t, inputs).AsMap()
		checked, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: other})
		if err != nil {
			t.Fatal(err)
		}
		diff, err = e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: checked.Inputs})
		if err != nil {
			t.Fatal(err)
		}
		same := cmp.Equal(withoutNulls(out.Inputs), withoutNulls(checked.Inputs), values)
		unchanged := len(diff.Changes) == 0
		if same != unchanged && (!same || !property.New(checked.Inputs).HasSecrets()) {
			t.Fatalf("same is %t, and the diff has %+v", same, diff.Changes)
		}
		created := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: out.Inputs})
		if created.Err != nil {
			t.Fatal(created.Err)
		}
		diff, err = e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *created.State, New: out.Inputs})
		if err != nil || len(diff.Changes) > 0 {
			t.Fatalf("what was just created differs: %+v, %v", diff.Changes, err)
		}
	})
}

// generated is an engine whose Thing has inputs of the type.
func generated(t *rapid.T, inputs *spec.Type) *engine.Engine {
	text := func(s string) *spec.Node {
		return &spec.Node{Kind: spec.StringNode, Text: s, Range: diag.Point("generated", 1, 1)}
	}
	world := newWorld()
	do := func(what string) *spec.Operation {
		block := &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{{Name: "do", Value: &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{
			{Name: "what", Value: text(what)}, {Name: "with", Value: text("${inputs}")},
		}}}}}
		return &spec.Operation{Steps: []*spec.Step{{Actions: []spec.Field{{Name: "world", Value: block}}}}}
	}
	p := &spec.Provider{
		Metadata: spec.Metadata{Name: "generated", Version: "1.0.0"}, Config: &spec.Type{Kind: spec.Object},
		Resources: []*spec.Resource{{
			Name: "Thing", Inputs: inputs, Outputs: &spec.Type{Kind: spec.Object}, ID: text("x"),
			Create: do("make"), Update: do("change"), Delete: do("remove"),
		}},
	}
	prog, diags := engine.Compile(p, world.families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	e, err := prog.Configure(t.Context(), property.Map{}, engine.Options{Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func genObject(t *rapid.T, depth int) *spec.Type {
	out := &spec.Type{Kind: spec.Object}
	for i := range rapid.IntRange(0, 5).Draw(t, "properties") {
		p := &spec.Property{Name: fmt.Sprintf("p%d", i), Type: genType(t, depth-1)}
		switch rapid.IntRange(0, 2).Draw(t, "presence") {
		case 0:
			p.Required = true
		case 1:
			if scalar := genScalar(t, p.Type); scalar != nil {
				p.Default = literalOf(*scalar)
			}
		}
		p.Secret = rapid.IntRange(0, 9).Draw(t, "secret") == 0
		p.Replace = rapid.IntRange(0, 3).Draw(t, "replace") == 0
		out.Fields = append(out.Fields, p)
	}
	return out
}

func genType(t *rapid.T, depth int) *spec.Type {
	kinds := []spec.Kind{spec.String, spec.Bool, spec.Int, spec.Number, spec.Any}
	if depth > 0 {
		kinds = append(kinds, spec.List, spec.Map, spec.Object)
	}
	out := &spec.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch out.Kind {
	case spec.Object:
		out = genObject(t, depth)
	case spec.List, spec.Map:
		out.Elem = genType(t, depth-1)
	case spec.String:
		if rapid.Bool().Draw(t, "enum") {
			out.Enum = []any{"dog", "cat", ""}
		}
	case spec.Int:
		out.Min = &spec.Bound{Value: json.Number("-5")}
	}
	out.Nullable = rapid.IntRange(0, 4).Draw(t, "nullable") == 0
	return out
}

// genScalar is a value of a scalar type, or nil.
func genScalar(t *rapid.T, of *spec.Type) *property.Value {
	var v property.Value
	switch of.Kind {
	case spec.String:
		if of.Enum != nil {
			v = property.New(rapid.SampledFrom(of.Enum).Draw(t, "literal").(string))
		} else {
			v = property.New(rapid.String().Draw(t, "text"))
		}
	case spec.Bool:
		v = property.New(rapid.Bool().Draw(t, "truth"))
	case spec.Int:
		v = property.New(float64(rapid.IntRange(-5, 1<<40).Draw(t, "int")))
	case spec.Number:
		v = property.New(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))
	default:
		return nil
	}
	return &v
}

func literalOf(v property.Value) any {
	switch {
	case v.IsNumber():
		b, _ := json.Marshal(v.AsNumber())
		return json.Number(b)
	case v.IsBool():
		return v.AsBool()
	default:
		return v.AsString()
	}
}

// genValue is a value of the type.
func genValue(t *rapid.T, of *spec.Type) property.Value {
	if of.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return property.Value{}
	}
	var v property.Value
	switch of.Kind {
	case spec.Object:
		m := map[string]property.Value{}
		for _, p := range of.Fields {
			if p.Required || rapid.Bool().Draw(t, "given") {
				m[p.Name] = genValue(t, p.Type)
			}
		}
		v = property.New(m)
	case spec.List:
		list := []property.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, genValue(t, of.Elem))
		}
		v = property.New(list)
	case spec.Map:
		m := map[string]property.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			m["k"+rapid.StringN(0, 5, -1).Draw(t, "key")] = genValue(t, of.Elem)
		}
		v = property.New(m)
	case spec.Any:
		v = rapid.SampledFrom([]property.Value{{}, value(1), value("x"), value([]any{1, "y"}), object1("a", true)}).Draw(t, "any")
	default:
		v = *genScalar(t, of)
	}
	return v.WithSecret(rapid.IntRange(0, 9).Draw(t, "marked") == 0)
}

func object1(kv ...any) property.Value { return property.New(object(kv...)) }

// contains reports whether a value is another with at most defaults and secrecy
// added.
func contains(whole, part property.Value) bool {
	switch {
	case part.IsNull():
		return true // absent, or replaced by a default
	case part.IsMap():
		if !whole.IsMap() {
			return false
		}
		for name, v := range part.AsMap().All {
			if !contains(whole.AsMap().Get(name), v) {
				return false
			}
		}
		return true
	case part.IsArray():
		if !whole.IsArray() || whole.AsArray().Len() != part.AsArray().Len() {
			return false
		}
		for i, v := range part.AsArray().All {
			if !contains(whole.AsArray().Get(i), v) {
				return false
			}
		}
		return true
	default:
		return whole.WithSecret(false).Equals(part.WithSecret(false)) && (whole.Secret() || !part.Secret())
	}
}

// withoutNulls is a map as a diff of values sees it: null members are as good as
// absent, and secrecy is none of a value.
func withoutNulls(m property.Map) property.Map {
	out := map[string]property.Value{}
	for name, v := range m.All {
		if v.IsNull() {
			continue
		}
		out[name] = normal(v)
	}
	return property.NewMap(out)
}

func normal(v property.Value) property.Value {
	switch {
	case v.IsMap():
		return property.New(withoutNulls(v.AsMap()))
	case v.IsArray():
		list := v.AsArray().AsSlice()
		for i := range list {
			list[i] = normal(list[i])
		}
		return property.New(list)
	default:
		return v.WithSecret(false)
	}
}
