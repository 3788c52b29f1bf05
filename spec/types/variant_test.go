package types_test

import (
	"encoding/json"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

func either(variants ...*spec.Type) *spec.Type {
	return &spec.Type{Kind: spec.Union, Variants: variants}
}

func list(of *spec.Type) *spec.Type { return &spec.Type{Kind: spec.List, Elem: of} }

func dict(of *spec.Type) *spec.Type { return &spec.Type{Kind: spec.Map, Elem: of} }

func ref(name string) *spec.Type { return &spec.Type{Ref: name} }

func oneOf(k spec.Kind, of ...any) *spec.Type { return &spec.Type{Kind: k, Enum: of} }

func by(tag string, variants ...*spec.Type) *spec.Type {
	t := either(variants...)
	t.Tag = tag
	return t
}

type members = map[string]any

// Every kind of tag and of shape: which variant a value is.
func TestVariant(t *testing.T) {
	text, number, whole := kind(spec.String), kind(spec.Number), kind(spec.Int)
	a := object(must("kind", oneOf(spec.String, "a")), must("x", text))
	b := object(must("kind", oneOf(spec.String, "b", "bb")), may("y", text))
	named := spec.Types{
		"A": {Type: a}, "B": {Type: b}, "AB": {Type: by("kind", ref("A"), ref("B"))},
		"Tree": {Type: either(text, list(ref("Tree")))},
		"Ring": {Type: either(ref("Ring"), text)},
	}
	onText := by("kind", a, ref("B"))
	onBool := by("on", object(must("on", oneOf(spec.Bool, true)), must("x", text)), object(must("on", oneOf(spec.Bool, false))))
	onInt := by("v", object(must("v", oneOf(spec.Int, json.Number("1")))), object(must("v", oneOf(spec.Int, json.Number("2"))), must("x", text)))
	noneOr := either(oneOf(spec.String, "none"), object(must("token", text)))
	nested := by("kind", ref("AB"), object(must("kind", oneOf(spec.String, "c"))))
	lists := either(list(text), list(object(must("x", text))))
	unknown := types.Unknown{}

	for _, c := range []struct {
		of   string
		t    *spec.Type
		v    any
		want int
	}{
		{"text tag", onText, members{"kind": "a", "x": "1"}, 0},
		{"string tag, another literal", onText, members{"kind": "bb"}, 1},
		{"string tag in a value that does not fit", onText, members{"kind": "b", "x": "1"}, 1},
		{"text tag, secret", onText, members{"kind": types.Secret{Value: "b"}}, 1},
		{"text tag, all secret", onText, types.Secret{Value: members{"kind": "b"}}, 1},
		{"string tag of no variant", onText, members{"kind": "z"}, types.NoVariant},
		{"string tag of another kind", onText, members{"kind": true}, types.NoVariant},
		{"text tag, missing", onText, members{"x": "1"}, types.NoVariant},
		{"text tag, null", onText, members{"kind": nil}, types.NoVariant},
		{"text tag, not known yet", onText, members{"kind": unknown, "x": "1"}, types.Undecided},
		{"text tag, nothing known yet", onText, unknown, types.Undecided},
		{"text tag, no struct", onText, "a", types.NoVariant},
		{"bool tag", onBool, members{"on": true, "x": "1"}, 0},
		{"bool tag, false", onBool, members{"on": false}, 1},
		{"bool tag as text", onBool, members{"on": "true"}, types.NoVariant},
		{"int tag", onInt, members{"v": int64(2)}, 1},
		{"int tag, decimal", onInt, members{"v": 1.0}, 0},
		{"int tag as json.Number", onInt, members{"v": json.Number("2.0")}, 1},
		{"int tag, far too large", onInt, members{"v": json.Number("1e999999999")}, types.NoVariant},
		{"none, the string", noneOr, "none", 0},
		{"none, another string", noneOr, "nope", 0},
		{"none, the struct", noneOr, members{"token": "t"}, 1},
		{"none, a struct that does not fit", noneOr, members{"tokken": "t"}, 1},
		{"none, not known yet", noneOr, unknown, types.Undecided},
		{"none, a list", noneOr, []any{"none"}, types.NoVariant},
		{"nested, inner", nested, members{"kind": "b"}, 0},
		{"nested, outer", nested, members{"kind": "c"}, 1},
		{"nested, none", nested, members{"kind": "d"}, types.NoVariant},
		{"nested without a tag", either(ref("AB"), text), members{"kind": "b"}, 0},
		{"lists, texts", lists, []any{"a"}, 0},
		{"lists, structs", lists, []any{members{"x": "1"}}, 1},
		{"lists, of nothing", lists, []any{}, 0},
		{"lists of an unknown value", lists, []any{unknown}, types.Undecided},
		{"lists, of neither", lists, []any{true}, types.NoVariant},
		{"lists of unions", either(list(onText), dict(text)), []any{members{"kind": "a"}}, 0},
		{"a map", either(text, dict(onInt)), members{"k": members{"v": int64(1)}}, 1},
		{"a file", either(text, kind(spec.Asset)), &spec.File{}, 1},
		{"an archive", either(kind(spec.Asset), kind(spec.Archive)), &spec.File{Archive: true}, 1},
		{"int before number", either(whole, number), int64(1), 0},
		{"a fraction among ints", either(whole, number), 1.5, 1},
		{"literals before text", either(oneOf(spec.String, "a"), text), "b", 1},
		{"literals of two kinds", either(oneOf(spec.String, "a"), oneOf(spec.Int, json.Number("1"))), int64(1), 1},
		{"anything", either(text, &spec.Type{}), members{}, 1},
		{"no tag, by a required property", either(object(must("x", text)), object(must("y", text))), members{"y": "1"}, 1},
		{"no tag, by an undeclared property", either(object(may("x", text)), object(may("x", text), may("y", text))), members{"y": "1"}, 1},
		{"no tag, by an undeclared property that is null", either(object(must("x", text)), object(must("y", types.Null()), must("x", text))), members{"x": "1", "y": nil}, 1},
		{"no tag, by an optional property that is null", either(object(must("x", text)), object(may("y", text), must("x", text))), members{"x": "1", "y": nil}, 1},
		{"no tag, a required property that is null", either(object(must("x", text), must("y", text)), object(must("x", text), may("y", text))), members{"x": "1", "y": nil}, 1},
		{"no tag, by a literal", either(a, object(must("kind", oneOf(spec.String, "z")), must("x", text))), members{"kind": "z", "x": "1"}, 1},
		{"no tag, neither", either(object(must("x", text)), object(must("y", text))), members{"z": "1"}, types.NoVariant},
		{"recursive", ref("Tree"), []any{[]any{"a"}}, 1},
		{"of nothing but itself", ref("Ring"), true, types.NoVariant},
		{"of nothing but itself, or text", ref("Ring"), "a", 0},
	} {
		if got := types.Variant(named.Resolve(c.t), types.ShapeOf(c.v, nil), named); got != c.want {
			t.Errorf("%s: %#v is variant %d; expected %d", c.of, c.v, got, c.want)
		}
	}
}

// Under its names on the wire a value has the variant that it has under the declared
// ones.
func TestVariantOnTheWire(t *testing.T) {
	union := by("petKind", object(must("petKind", oneOf(spec.Bool, true))), object(must("petKind", oneOf(spec.Bool, false))))
	wire := func(p *spec.Property) string { return "pet_kind" }
	if got := types.Variant(union, types.ShapeOf(members{"pet_kind": false}, wire), nil); got != 1 {
		t.Errorf("variant %d; expected 1", got)
	}
}

func TestHoldsSecret(t *testing.T) {
	hidden := &spec.Property{Name: "pin", Type: kind(spec.String), Secret: true}
	named := spec.Types{"Loop": {}, "Node": {}}
	named["Loop"].Type = list(ref("Loop"))
	named["Node"].Type = object(may("next", ref("Node")), hidden)
	for name, c := range map[string]struct {
		t    *spec.Type
		want bool
	}{
		"a list of unions": {list(either(kind(spec.String), object(hidden))), true},
		"a map":            {dict(object(hidden)), true},
		"itself":           {ref("Node"), true},
		"nothing":          {either(kind(spec.String), object(may("x", kind(spec.Int)))), false},
		"an endless list":  {ref("Loop"), false},
	} {
		if got := types.HoldsSecret(c.t, named); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
