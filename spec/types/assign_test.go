package types_test

import (
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// Types written short: what the tables below are made of.
func kind(k spec.Kind) *spec.Type { return &spec.Type{Kind: k} }

func object(fields ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func must(name string, t *spec.Type) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true}
}

func may(name string, t *spec.Type) *spec.Property { return &spec.Property{Name: name, Type: t} }

// trees returns a type that refers to itself.
func trees() spec.Types {
	tree := &spec.Type{Ref: "Tree"}
	return spec.Types{"Tree": {Name: "Tree", Type: object(must("label", kind(spec.String)), may("left", tree), may("right", tree))}}
}

// TestProjectable: what comes by name may have more than is declared, and numbers become text.
func TestProjectable(t *testing.T) {
	str, num := kind(spec.String), kind(spec.Int)
	for _, test := range []struct {
		from, to *spec.Type
		want     string
	}{
		{object(must("a", str), must("b", str)), object(must("a", str)), ""},
		{types.ListOf(object(must("a", num), must("b", object(must("c", num))))), types.ListOf(object(must("b", object()))), ""},
		{types.ListOf(num), types.ListOf(str), ""},
		{num, types.Literal(spec.String, "1"), `this is an int, and "1" is wanted`},
		{str, num, "this is a string, and int is wanted"},
		{object(must("b", str)), object(must("a", str)), `property "a" is missing`},
		{object(must("a", str), must("b", str)), &spec.Type{Kind: spec.Object, Open: true, Elem: num}, `property "a" is a string, and int is wanted`},
	} {
		got := ""
		if err := types.Projectable(test.from, test.to, trees()); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s to %s: %q, want %q", types.Describe(test.from), types.Describe(test.to), got, test.want)
		}
	}
}

// TestAssignable asserts reasons.
func TestAssignable(t *testing.T) {
	str, num := kind(spec.String), kind(spec.Int)
	tests := []struct {
		from, to *spec.Type
		want     string
	}{
		{str, str, ""},
		{num, kind(spec.Number), ""},
		{str, nil, ""},
		{nil, str, ""},
		{&spec.Type{Ref: "Tree"}, &spec.Type{Ref: "Tree"}, ""},
		{&spec.Type{Ref: "Tree"}, object(must("label", str)), `property "left" is not part of a struct {label}`},
		{kind(spec.Number), num, "this is a number, and int is wanted"},
		{object(must("port", str)), object(must("port", num)), `property "port" is a string, and int is wanted`},
		{object(may("port", num)), object(must("port", num)), `property "port" may be absent, and int is wanted`},
		{object(), object(must("port", num)), `property "port" is missing`},
		{object(must("a", types.ListOf(object(must("b", str))))), object(must("a", types.ListOf(object(must("b", num))))), `property "a[].b" is a string, and int is wanted`},
		{types.Nullable(str), str, "this may be null, and string is wanted"},
		{object(must("a", str)), types.MapOf(str), ""},
		{object(must("a", num)), types.MapOf(str), `property "a" is an int, and string is wanted`},
		{types.MapOf(str), object(may("a", str)), ""},
		{types.MapOf(str), object(must("a", str)), `property "a" may be missing from a map`},
		{types.Literal(spec.String, "a"), &spec.Type{Kind: spec.String, Enum: []any{"b", "c"}}, `this is "a", and must be "b" or "c"`},
		{&spec.Type{Kind: spec.String, Enum: []any{"a", "b"}}, &spec.Type{Kind: spec.Union, Variants: []*spec.Type{types.Literal(spec.String, "a"), types.Literal(spec.String, "b")}}, ""},
		{types.ListOf(str), &spec.Type{Kind: spec.Union, Variants: []*spec.Type{str, num}}, "this is a list of string, and a string or an int is wanted"},
	}
	for _, test := range tests {
		got := ""
		if err := types.Assignable(test.from, test.to, trees()); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s to %s: %q, want %q", types.Describe(test.from), types.Describe(test.to), got, test.want)
		}
	}
}
