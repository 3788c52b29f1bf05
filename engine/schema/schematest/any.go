package schematest

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
)

// Any returns a random spec whose names are valid in SDKs.
func Any(t *rapid.T) *spec.Provider {
	g := &generator{t: t}
	for i := range rapid.IntRange(0, 3).Draw(t, "definitions") {
		g.definitions = append(g.definitions, fmt.Sprint("#", []string{"Rule", "ThingA", "ThingAProp0", "Config"}[i]))
	}
	p := &spec.Provider{
		Metadata: spec.Metadata{Name: "any", Version: "0.1.0", Description: g.text()},
		Config:   g.object(2),
		Types:    spec.Types{},
	}
	for _, key := range g.definitions {
		p.Types[key] = &spec.Named{Name: key[1:], Doc: g.text(), Type: g.typ(2)}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "resources") {
		p.Resources = append(p.Resources, &spec.Resource{
			Name: "Thing" + string(rune('A'+i)), Doc: g.text(), Inputs: g.object(3), Outputs: g.object(3), Methods: g.methods(),
		})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "components") {
		p.Components = append(p.Components, &spec.Component{
			Name: "Group" + string(rune('A'+i)), Doc: g.text(), Inputs: g.object(3), Outputs: g.object(3),
		})
	}
	return p
}

type generator struct {
	t           *rapid.T
	definitions []string
}

func (g *generator) bool(label string) bool { return rapid.Bool().Draw(g.t, label) }

func (g *generator) text() string {
	return rapid.StringMatching("[A-Za-z<&>.é \n]{0,20}").Draw(g.t, "text")
}

func (g *generator) methods() []*spec.Function {
	var all []*spec.Function
	for i := range rapid.IntRange(0, 2).Draw(g.t, "methods") {
		all = append(all, &spec.Function{Name: fmt.Sprint("method", i), Doc: g.text(), Inputs: g.object(2), Outputs: g.object(2)})
	}
	return all
}

func (g *generator) object(depth int) *spec.Type {
	t := &spec.Type{Kind: spec.Object, Open: depth < 2 && rapid.IntRange(0, 4).Draw(g.t, "open") == 0}
	for i := range rapid.IntRange(0, 4).Draw(g.t, "fields") {
		f := &spec.Property{
			Name: fmt.Sprint("prop", i), Doc: g.text(), Type: g.typ(depth), Required: g.bool("required"),
			Secret: g.bool("secret"), Replace: g.bool("replace"), Ephemeral: g.bool("ephemeral"), Deprecated: g.text(),
		}
		if g.bool("env") {
			f.Env = []string{"VARIABLE"}
		}
		if g.bool("default") {
			f.Default, f.Required = g.literal(f.Type), false
		}
		t.Fields = append(t.Fields, f)
	}
	return t
}

func (g *generator) typ(depth int) *spec.Type {
	t := &spec.Type{Kind: spec.Kind(rapid.IntRange(0, int(spec.Archive)).Draw(g.t, "kind")), Nullable: g.bool("nullable")}
	if depth == 0 && (t.Kind == spec.List || t.Kind == spec.Map || t.Kind == spec.Object || t.Kind == spec.Union) {
		t.Kind = spec.String
	}
	if len(g.definitions) > 0 && rapid.IntRange(0, 4).Draw(g.t, "reference") == 0 {
		return &spec.Type{Ref: rapid.SampledFrom(g.definitions).Draw(g.t, "definition"), Nullable: t.Nullable}
	}
	switch t.Kind {
	case spec.List, spec.Map:
		t.Elem = g.typ(depth - 1)
	case spec.Object:
		nullable := t.Nullable
		t = g.object(depth - 1)
		t.Nullable = nullable
	case spec.Union:
		for range rapid.IntRange(1, 3).Draw(g.t, "variants") {
			t.Variants = append(t.Variants, g.typ(depth-1))
		}
	default:
		for range rapid.IntRange(0, 3).Draw(g.t, "enum") {
			if v := g.literal(t); v != nil {
				t.Enum = append(t.Enum, v)
			}
		}
	}
	return t
}

// literal returns a value of a scalar or list type, and nil for other types.
func (g *generator) literal(t *spec.Type) any {
	switch t.Kind {
	case spec.Bool:
		return g.bool("literal")
	case spec.Int:
		return json.Number(rapid.StringMatching(`-?[1-9][0-9]{0,12}`).Draw(g.t, "literal"))
	case spec.Number:
		return json.Number(rapid.StringMatching(`-?[1-9][0-9]{0,3}(\.[0-9]{1,3})?`).Draw(g.t, "literal"))
	case spec.String:
		return rapid.StringMatching(`[a-c_+ -]{0,2}`).Draw(g.t, "literal")
	case spec.List:
		return []any{"x"}
	default:
		return nil
	}
}
