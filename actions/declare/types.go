// Package declare constructs the types, arguments and results that several families of
// actions declare, and reads the values of such arguments. Each call returns a new type,
// which the caller may modify.
package declare

import (
	"encoding/json"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// Any returns the type of any value.
func Any() *spec.Type { return &spec.Type{} }

// Text returns the type of any string.
func Text() *spec.Type { return &spec.Type{Kind: spec.String} }

// NonEmpty returns the type of strings that are not empty.
func NonEmpty() *spec.Type { return &spec.Type{Kind: spec.String, MinLen: 1} }

// Matching returns the type of strings that a regular expression matches.
func Matching(pattern string) *spec.Type {
	return &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: pattern}}}
}

// OneOf returns the enumeration of these strings.
func OneOf(texts ...string) *spec.Type {
	t := Text()
	for _, text := range texts {
		t.Enum = append(t.Enum, text)
	}
	return t
}

// Bool returns the type of booleans.
func Bool() *spec.Type { return &spec.Type{Kind: spec.Bool} }

// Int returns the type of any integer.
func Int() *spec.Type { return &spec.Type{Kind: spec.Int} }

// Positive returns the type of integers greater than zero.
func Positive() *spec.Type {
	return &spec.Type{Kind: spec.Int, Min: &spec.Bound{Value: json.Number("1")}}
}

// Between returns the type of integers from least to most.
func Between(least, most json.Number) *spec.Type {
	return &spec.Type{Kind: spec.Int, Min: &spec.Bound{Value: least}, Max: &spec.Bound{Value: most}}
}

// Time returns the type of points in time, which exists only in the scope of expressions.
func Time() *spec.Type { return types.Time() }

// Asset returns the type of assets: files that the user passes to the provider.
func Asset() *spec.Type { return &spec.Type{Kind: spec.Asset} }

// Archive returns the type of archives that the user passes to the provider.
func Archive() *spec.Type { return &spec.Type{Kind: spec.Archive} }

// Either returns the union of types.
func Either(variants ...*spec.Type) *spec.Type {
	return &spec.Type{Kind: spec.Union, Variants: variants}
}

// List returns the type of lists with elements of a type.
func List(of *spec.Type) *spec.Type { return &spec.Type{Kind: spec.List, Elem: of} }

// Map returns the type of maps with values of a type.
func Map(to *spec.Type) *spec.Type { return &spec.Type{Kind: spec.Map, Elem: to} }

// Headers returns the type of the headers of a message, whose names are in lower case.
func Headers() *spec.Type {
	return &spec.Type{Kind: spec.Map, Elem: Text(), Keys: []string{"^[^A-Z]*$"}}
}

// Object returns the type of objects with these properties.
func Object(properties ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: properties}
}

// Field returns an optional property of an object.
func Field(name string, t *spec.Type, doc string) *spec.Property {
	return &spec.Property{Name: name, Type: t, Doc: doc}
}

// Member returns a required property of an object: of a result, of an argument, or of the
// scope of a late expression.
func Member(name string, t *spec.Type, doc string) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true, Doc: doc, Wire: name}
}
