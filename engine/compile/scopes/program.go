package scopes

import (
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// MustSet reports whether a program must set an input.
func MustSet(p *spec.Property) bool {
	return p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil
}

// ProgramType returns the type of an input in a program: null leaves out an input that is not
// required.
func ProgramType(p *spec.Property) *spec.Type {
	if MustSet(p) {
		return p.Type
	}
	return plan.OrNull(p.Type)
}

// ProgramInputs returns the type of all inputs in a program.
func ProgramInputs(inputs *spec.Type) *spec.Type {
	if inputs.Kind != spec.Object || inputs.Open {
		return &spec.Type{Kind: spec.Object, Open: true}
	}
	out := *inputs
	out.Fields = make([]*spec.Property, len(inputs.Fields))
	for i, p := range inputs.Fields {
		given := *p
		given.Type = ProgramType(p)
		given.Required = MustSet(p) || p.Type.Nullable && p.Required
		out.Fields[i] = &given
	}
	return &out
}
