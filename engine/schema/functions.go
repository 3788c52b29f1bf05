package schema

import "github.com/declprov/declprov/spec"

// function is a function of the provider: a query of what exists, or a value
// made of its inputs.
type function struct {
	Description string      `json:"description,omitempty"`
	Inputs      *objectType `json:"inputs,omitempty"`
	Outputs     *objectType `json:"outputs,omitempty"`
}

func (g *generator) function(f *spec.Function) function {
	base := pascal(f.Name)
	return function{
		Description: f.Doc,
		Inputs:      g.plainObject(f.Inputs, base+"Args", input),
		Outputs:     g.plainObject(f.Outputs, base+"Result", output),
	}
}

// plainObject is an object that is no resource's: nothing of it replaces
// anything.
func (g *generator) plainObject(t *spec.Type, base string, s side) *objectType {
	out := &objectType{Type: "object"}
	out.Properties, out.Required = g.properties(t, base, s)
	for name, p := range out.Properties {
		p.ReplaceOnChanges, p.WillReplaceOnChanges = false, false
		out.Properties[name] = p
	}
	return out
}
