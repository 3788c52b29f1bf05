package types_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// Short constructors of types for the tables below.
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

// codeAndPath returns the code and the path of a mismatch, "" for nil.
func codeAndPath(m *types.Mismatch) string {
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m.Code + " " + m.Path)
}

// TestProjectable checks that a projection drops undeclared members and converts
// numbers to strings.
func TestProjectable(t *testing.T) {
	str, num := kind(spec.String), kind(spec.Int)
	for _, test := range []struct {
		from, to *spec.Type
		want     string
	}{
		{object(must("a", str), must("b", str)), object(must("a", str)), ""},
		{types.ListOf(object(must("a", num), must("b", object(must("c", num))))), types.ListOf(object(must("b", object()))), ""},
		{types.ListOf(num), types.ListOf(str), ""},
		{num, types.Literal(spec.String, "1"), "type-mismatch"},
		{str, num, "type-mismatch"},
		{object(must("b", str)), object(must("a", str)), "missing-member a"},
		{object(must("a", str), must("b", str)), &spec.Type{Kind: spec.Object, Open: true, Elem: num}, "type-mismatch a"},
	} {
		got := codeAndPath(types.Projectable(test.from, test.to, trees()))
		if got != test.want {
			t.Errorf("%s to %s: %q, want %q", types.Describe(test.from), types.Describe(test.to), got, test.want)
		}
	}
}

// TestAssignable asserts the code and the path of each mismatch.
// open is a struct with other members of a type.
func open(elem *spec.Type, fields ...*spec.Property) *spec.Type {
	t := object(fields...)
	t.Open, t.Elem = true, elem
	return t
}

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
		{&spec.Type{Ref: "Tree"}, object(must("label", str)), "unknown-member left"},
		{kind(spec.Number), num, "type-mismatch"},
		{object(must("port", str)), object(must("port", num)), "type-mismatch port"},
		{object(may("port", num)), object(must("port", num)), "null-unguarded port"},
		{object(), object(must("port", num)), "missing-member port"},
		{object(must("a", types.ListOf(object(must("b", str))))), object(must("a", types.ListOf(object(must("b", num))))), "type-mismatch a[].b"},
		{types.Nullable(str), str, "null-unguarded"},
		{object(must("a", str)), types.MapOf(str), ""},
		{object(must("a", num)), types.MapOf(str), "type-mismatch a"},
		{types.MapOf(str), object(may("a", str)), ""},
		{types.MapOf(str), object(must("a", str)), "missing-member a"},
		{types.Literal(spec.String, "a"), &spec.Type{Kind: spec.String, Enum: []any{"b", "c"}}, "value-not-allowed"},
		{&spec.Type{Kind: spec.String, Enum: []any{"a", "b"}}, &spec.Type{Kind: spec.Union, Variants: []*spec.Type{types.Literal(spec.String, "a"), types.Literal(spec.String, "b")}}, ""},
		{types.ListOf(str), &spec.Type{Kind: spec.Union, Variants: []*spec.Type{str, num}}, "type-mismatch"},
		{open(num, must("a", str)), open(str, must("a", str)), "type-mismatch *"},
		{open(str, must("a", str)), open(str, must("a", str)), ""},
		{open(nil, must("a", str)), open(num, must("a", str)), ""},
		{open(num, must("a", str)), open(nil, must("a", str)), ""},
		{open(num), object(may("b", str)), "type-mismatch b"},
		{open(num), object(may("b", num)), ""},
		{open(num, must("a", str)), types.MapOf(str), "type-mismatch *"},
		{open(str, must("a", str)), types.MapOf(str), ""},
		{types.MapOf(num), open(str, may("a", num)), "type-mismatch *"},
		{types.MapOf(num), open(num, may("a", num)), ""},
	}
	for _, test := range tests {
		got := codeAndPath(types.Assignable(test.from, test.to, trees()))
		if got != test.want {
			t.Errorf("%s to %s: %q, want %q", types.Describe(test.from), types.Describe(test.to), got, test.want)
		}
	}
}
