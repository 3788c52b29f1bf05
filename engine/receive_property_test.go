package engine_test

import (
	"errors"
	"fmt"
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
// the type does not declare left out. One that nearly fits is an error that names the
// member, by its declared name and by that on the wire.
func TestResponseLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := responseGen{rule: rapid.SampledFrom(append([]string{""}, spec.WireRules...)).Draw(t, "rule")}
		declared := g.object(t, 3)
		came, want := g.value(t, declared, "body", "body")
		w := newWorld().on("get", answers(came))
		e := g.engine(t, w, declared)

		fault := g.breakOne(t, came.(map[string]any))
		out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "get"})
		if fault == nil {
			if err != nil {
				t.Fatalf("%v\n%s is refused: %v", came, g.rule, err)
			}
			if diff := cmp.Diff(want.AsMap(), out.Return, values); diff != "" {
				t.Fatalf("%v (-want +got):\n%s", came, diff)
			}
			return
		}
		var misfit *engine.MisfitError
		if !errors.As(err, &misfit) {
			t.Fatalf("%v: %s passes: %v, %v", came, fault.path, out.Return, err)
		}
		if misfit.Path != fault.path || misfit.Wire != fault.wire || (misfit.Hint != "") != fault.hint {
			t.Fatalf("%+v is told as %+v", fault, misfit)
		}
		if !strings.Contains(err.Error(), fault.path) || !strings.Contains(err.Error(), fault.wire) {
			t.Fatalf("%+v: %v", fault, err)
		}
	})
}

// responseGen generates a type, and responses of it.
type responseGen struct {
	rule string
	// slots are the members of the generated response that can be broken.
	slots []slot
}

// slot is a member of an object of a response.
type slot struct {
	in         map[string]any
	property   *spec.Property
	path, wire string
	key        string
}

// fault is what a broken response is to be told by.
type fault struct {
	path, wire string
	hint       bool
}

// object is a struct type of a few members with names of several words.
func (g *responseGen) object(t *rapid.T, depth int) *spec.Type {
	out := &spec.Type{Kind: spec.Object}
	for i := range rapid.IntRange(1, 4).Draw(t, "members") {
		p := &spec.Property{Name: fmt.Sprintf("petName%d", i), Type: g.typ(t, depth-1), Required: rapid.Bool().Draw(t, "required")}
		if rapid.IntRange(0, 3).Draw(t, "wire") == 0 {
			p.Wire = fmt.Sprintf("x-%d", i)
			p.WireParents = rapid.SampledFrom([][]string{nil, {"deep"}, {"deep", "er"}}).Draw(t, "parents")
		}
		if !p.Required && p.Type.Kind == spec.Bool {
			p.Default = true
		}
		out.Fields = append(out.Fields, p)
	}
	return out
}

func (g *responseGen) typ(t *rapid.T, depth int) *spec.Type {
	kinds := []spec.Kind{spec.String, spec.Bool, spec.Int, spec.Number}
	if depth > 0 {
		kinds = append(kinds, spec.List, spec.Map, spec.Object, spec.Union)
	}
	out := &spec.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch out.Kind {
	case spec.Object:
		out = g.object(t, depth)
	case spec.List, spec.Map:
		out.Elem = g.typ(t, depth-1)
		out.Elem.Nullable = false
	case spec.Union:
		out.Tag = "kindOf"
		for _, literal := range []string{"a", "b"} {
			v := g.object(t, depth)
			tag := &spec.Property{Name: "kindOf", Required: true, Type: &spec.Type{Kind: spec.String, Enum: []any{literal}}}
			v.Fields = append([]*spec.Property{tag}, v.Fields...)
			out.Variants = append(out.Variants, v)
		}
	}
	out.Nullable = rapid.IntRange(0, 5).Draw(t, "nullable") == 0
	return out
}

// value is a value of a type as a server sends it, and as it is to be projected.
func (g *responseGen) value(t *rapid.T, of *spec.Type, path, wire string) (came any, want property.Value) {
	switch of.Kind {
	case spec.Object:
		return g.members(t, of, path, wire)
	case spec.Union:
		i := rapid.IntRange(0, 1).Draw(t, "variant")
		return g.members(t, of.Variants[i], path, wire)
	case spec.List:
		list, wants := []any{}, []property.Value{}
		for i := range rapid.IntRange(0, 2).Draw(t, "items") {
			v, w := g.value(t, of.Elem, fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("%s[%d]", wire, i))
			list, wants = append(list, v), append(wants, w)
		}
		return list, property.New(wants)
	case spec.Map:
		m, wants := map[string]any{}, map[string]property.Value{}
		for i := range rapid.IntRange(0, 2).Draw(t, "entries") {
			key := fmt.Sprintf("aKey%d", i)
			v, w := g.value(t, of.Elem, path+"."+key, wire+"."+key)
			m[key], wants[key] = v, w
		}
		return m, property.New(wants)
	case spec.Bool:
		v := rapid.Bool().Draw(t, "bool")
		return v, property.New(v)
	case spec.Int:
		v := rapid.Int64Range(-1<<53, 1<<53).Draw(t, "int")
		return v, property.New(float64(v))
	case spec.Number:
		v := rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		return v, property.New(v)
	default:
		v := rapid.StringMatching("[a-z]{0,5}").Draw(t, "string")
		return v, property.New(v)
	}
}

func (g *responseGen) members(t *rapid.T, of *spec.Type, path, wire string) (any, property.Value) {
	m, wants := map[string]any{}, map[string]property.Value{}
	for _, p := range of.Fields {
		key := p.Wire
		if key == "" {
			key = spec.WireName(g.rule, p.Name)
		}
		at := slot{in: m, property: p, path: path + "." + p.Name, wire: strings.Join(append([]string{wire}, p.WireParents...), "."), key: key}
		if at.wire += "." + key; !isPlain(key) {
			at.wire = strings.TrimSuffix(at.wire, "."+key) + `["` + key + `"]`
		}
		presence := rapid.IntRange(0, 5).Draw(t, "presence")
		if p.Type.Enum != nil {
			m[key], wants[p.Name] = p.Type.Enum[0], property.New(p.Type.Enum[0].(string))
			continue // the tag is right: which variant it would be is no member's fault
		}
		switch {
		case p.Type.Nullable && presence == 0:
			holder(m, p)[key], wants[p.Name] = nil, property.Value{}
		case !p.Required && presence < 2:
			if presence == 0 && p.WireParents == nil {
				m[key] = nil
			}
			if p.Default != nil {
				wants[p.Name] = property.New(p.Default.(bool))
			} else if p.Type.Nullable {
				wants[p.Name] = property.Value{}
			}
		default:
			at.in = holder(m, p)
			at.in[key], wants[p.Name] = g.value(t, p.Type, at.path, at.wire)
			g.slots = append(g.slots, at)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "extra") == 0 {
		m["extra_member"] = []any{int64(1), nil}
	}
	return m, property.New(wants)
}

// holder is the object that a member stands in, which is made where it is not there.
func holder(m map[string]any, p *spec.Property) map[string]any {
	for _, parent := range p.WireParents {
		inner, ok := m[parent].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[parent] = inner
		}
		m = inner
	}
	return m
}

func isPlain(key string) bool { return !strings.Contains(key, "-") }

// breakOne breaks one member of the response, or none: nil.
func (g *responseGen) breakOne(t *rapid.T, came map[string]any) *fault {
	if len(g.slots) == 0 || rapid.IntRange(0, 3).Draw(t, "fits") == 0 {
		return nil
	}
	s := rapid.SampledFrom(g.slots).Draw(t, "slot")
	f := &fault{path: s.path, wire: s.wire}
	must := s.property.Required && !s.property.Type.Nullable
	ways := []string{"kind"}
	if must {
		ways = append(ways, "null", "missing", "renamed")
	}
	switch rapid.SampledFrom(ways).Draw(t, "way") {
	case "kind":
		s.in[s.key] = ofAnotherKind(s.property.Type)
	case "null":
		s.in[s.key] = nil
	case "missing":
		delete(s.in, s.key)
	case "renamed":
		v := s.in[s.key]
		delete(s.in, s.key)
		s.in[strings.ToUpper(s.property.Name)], f.hint = v, true
	}
	return f
}

// ofAnotherKind is a value that is none of a type's.
func ofAnotherKind(of *spec.Type) any {
	switch of.Kind {
	case spec.Bool:
		return "true"
	case spec.Int:
		return 1.5
	case spec.Object, spec.Union:
		return []any{}
	default:
		return true
	}
}

// engine is that of a function which returns what its step is typed to give.
func (g *responseGen) engine(t *rapid.T, w *world, of *spec.Type) *engine.Engine {
	node := func(text string) *spec.Node {
		return &spec.Node{Kind: spec.StringNode, Text: text, Range: diag.Point("generated", 1, 1)}
	}
	block := &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{{Name: "typed", Value: &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{
		{Name: "what", Value: node("get")}, {Name: "returns", Value: &spec.Node{Kind: spec.StringNode, Text: "#Body"}},
	}}}}}
	p := &spec.Provider{
		Metadata: spec.Metadata{Name: "generated", Version: "1.0.0"}, Config: &spec.Type{Kind: spec.Object}, Wire: g.rule,
		Types: spec.Types{"Body": {Name: "Body", Type: of}},
		Functions: []*spec.Function{{
			Name: "get", Inputs: &spec.Type{Kind: spec.Object}, Outputs: of,
			Operation: &spec.Operation{Steps: []*spec.Step{{Actions: []spec.Field{{Name: "world", Value: block}}}}},
		}},
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
