package schema

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// function is a function of the provider.
type function struct {
	Description string      `json:"description,omitempty"`
	Inputs      *objectType `json:"inputs,omitempty"`
	Outputs     *objectType `json:"outputs,omitempty"`
}

func (g generator) function(f *spec.Function) function {
	base := names.Pascal(f.Name)
	return function{
		Description: f.Doc,
		Inputs:      g.plainObject(f.Inputs, base+"Args", input),
		Outputs:     g.plainObject(f.Outputs, base+"Result", output),
	}
}

// method returns the function of a method. Its first argument is the resource on
// which it is called.
func (g generator) method(r *spec.Resource, f *spec.Function) function {
	base := r.Name + names.Pascal(f.Name)
	out := function{
		Description: f.Doc,
		Inputs:      g.plainObject(f.Inputs, base+"Args", input),
	}
	if len(f.Outputs.Fields) > 0 {
		out.Outputs = g.plainObject(f.Outputs, base+"Result", output)
	}
	if out.Inputs.Properties == nil {
		out.Inputs.Properties = map[string]property{}
	}
	out.Inputs.Properties[names.Self] = property{typeSpec: typeSpec{Ref: "#/resources/" + g.token(r.Name)}}
	out.Inputs.Required = append([]string{names.Self}, out.Inputs.Required...)
	return out
}

// methods adds the methods of a resource to the functions, and returns their tokens
// by name. A token contains the name of the resource.
func (g generator) methods(r *spec.Resource, functions map[string]function) map[string]string {
	if len(r.Methods) == 0 {
		return nil
	}
	tokens := map[string]string{}
	for _, f := range r.Methods {
		tokens[f.Name] = g.token(r.Name + "/" + f.Name)
		functions[tokens[f.Name]] = g.method(r, f)
	}
	return tokens
}
