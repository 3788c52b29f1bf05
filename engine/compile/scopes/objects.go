package scopes

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// The types that templates must have at places of the language.
var (
	StringType     = &spec.Type{Kind: spec.String}
	OptionalString = &spec.Type{Kind: spec.String, Nullable: true}
	BoolType       = &spec.Type{Kind: spec.Bool}
	NonEmptyString = &spec.Type{Kind: spec.String, MinLen: 1}
	IDType         = &spec.Type{Kind: spec.Union, Variants: []*spec.Type{NonEmptyString, {Kind: spec.Int}}}
)

// CheckedType returns an object type as Check leaves its values: properties with a default of any
// kind are present.
func CheckedType(t *spec.Type) *spec.Type {
	if t == nil {
		return &spec.Type{Kind: spec.Object}
	}
	out := *t
	out.Fields = make([]*spec.Property, len(t.Fields))
	for i, p := range t.Fields {
		settled := *p
		settled.Required = !p.Optional()
		out.Fields[i] = &settled
	}
	return &out
}

// StateType returns the type of `state`: the recorded inputs and outputs, by name. An output hides
// the input of its name.
func StateType(inputs, outputs *spec.Type) *spec.Type {
	t := &spec.Type{Kind: spec.Object}
	for _, p := range CheckedType(inputs).Fields {
		if outputs.Field(p.Name) == nil {
			t.Fields = append(t.Fields, p)
		}
	}
	t.Fields = append(t.Fields, outputs.Fields...)
	return t
}

// OptionalType returns an object type in which every property is optional and has no default, as
// in an import or in changes. The kept ones are as Check leaves them.
func OptionalType(t *spec.Type, keep map[string]bool) *spec.Type {
	out := *t
	out.Fields = make([]*spec.Property, len(t.Fields))
	for i, p := range t.Fields {
		optional := *p
		if keep[p.Name] {
			optional.Required = !p.Optional()
			out.Fields[i] = &optional
			continue
		}
		optional.Required, optional.Default = false, nil
		optional.Autoname, optional.DefaultExpr = nil, nil
		out.Fields[i] = &optional
	}
	return &out
}

// LackingType returns an object type in which those properties are optional that may be missing.
func LackingType(t *spec.Type, missing ...string) *spec.Type {
	out := *t
	out.Fields = slices.Clone(t.Fields)
	for i, p := range out.Fields {
		if slices.Contains(missing, p.Name) {
			optional := *p
			optional.Required = false
			out.Fields[i] = &optional
		}
	}
	return &out
}
