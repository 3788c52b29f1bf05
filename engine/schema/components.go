package schema

import "github.com/declprov/declprov/spec"

// component describes a component. Its properties are its outputs alone: what a
// program gave it, the program has.
func (g *generator) component(m *spec.Component) resource {
	inputs, outputs := g.plainObject(m.Inputs, m.Name, input), g.plainObject(m.Outputs, m.Name, output)
	return resource{
		objectType:      objectType{Description: m.Doc, Properties: outputs.Properties, Required: outputs.Required},
		IsComponent:     true,
		InputProperties: inputs.Properties,
		RequiredInputs:  inputs.Required,
	}
}
