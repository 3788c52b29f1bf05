package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

func (g generator) resource(r *spec.Resource) resource {
	inputs, requiredInputs := g.properties(r.Inputs, r.Name, input)
	outputs, required := g.outputs(r)
	out := resource{
		objectType:         objectType{Description: g.withExamples(r, inputs), Properties: outputs, Required: required},
		InputProperties:    inputs,
		RequiredInputs:     requiredInputs,
		StateInputs:        g.stateInputs(r),
		DeprecationMessage: r.Deprecated,
	}
	if r.List != nil {
		out.ListInputs = g.listInputs(r)
	}
	for _, a := range r.Aliases {
		former := a.Text
		if !strings.Contains(former, ":") {
			former = g.token(former)
		}
		out.Aliases = append(out.Aliases, alias{Type: former})
	}
	return out
}

// outputs returns the properties of a resource that a program can read: all recorded
// inputs, and the declared outputs. If a property is both, the output's declaration
// is used, with the input's documentation if the output has none.
func (g generator) outputs(r *spec.Resource) (map[string]property, []string) {
	recorded := &spec.Type{Kind: spec.Object}
	for _, f := range r.Inputs.Fields {
		if !f.Ephemeral {
			recorded.Fields = append(recorded.Fields, f)
		}
	}
	properties, required := g.properties(recorded, r.Name, output)
	declared, always := g.properties(r.Outputs, r.Name, output)
	for name, p := range declared {
		if in, both := properties[name]; both {
			p.Description = cmp.Or(p.Description, in.Description)
			p.DeprecationMessage = cmp.Or(p.DeprecationMessage, in.DeprecationMessage)
			p.Secret = p.Secret || in.Secret
			if p.Language == nil {
				p.Language = in.Language
			}
		}
		if properties == nil {
			properties = map[string]property{}
		}
		properties[name] = p
	}
	required = append(required, always...)
	slices.Sort(required)
	return properties, slices.Compact(required)
}

func (g generator) listInputs(r *spec.Resource) *objectType {
	out := &objectType{Type: "object"}
	if r.List.Inputs != nil {
		out.Properties, out.Required = g.properties(r.List.Inputs, r.Name+"List", input)
	}
	return out
}

// stateInputs returns the inputs that a program must pass to get an existing resource
// by its id: those that `read` uses and the id does not determine.
func (g generator) stateInputs(r *spec.Resource) *objectType {
	if r.Read == nil {
		return nil
	}
	needed := map[string]bool{}
	mentionedBySteps(r.Read.Steps, needed)
	mentioned(r.Read.Lock, needed)
	if r.Read.Return != nil {
		mentioned(r.Read.Return, needed)
	} else {
		mentioned(r.Return, needed)
	}
	given := map[string]bool{}
	mentioned(r.Import, given)
	t := &spec.Type{Kind: spec.Object}
	for _, f := range r.Inputs.Fields {
		if (needed[f.Name] || needed["*"]) && !given[f.Name] {
			t.Fields = append(t.Fields, f)
		}
	}
	if len(t.Fields) == 0 {
		return nil
	}
	properties, required := g.properties(t, r.Name, input)
	for name, p := range properties {
		// A default would hide the value of the existing resource.
		p.Default, p.WillReplaceOnChanges = nil, false
		properties[name] = p
	}
	return &objectType{Type: "object", Properties: properties, Required: required}
}

func mentionedBySteps(steps []*spec.Step, found map[string]bool) {
	for _, s := range steps {
		for _, n := range []*spec.Node{s.If, s.ForEach, s.Until, s.Every, s.Timeout, s.Retry, s.Fail, s.Gone, s.Lock} {
			mentioned(n, found)
		}
		for _, a := range s.Actions {
			mentioned(a.Value, found)
		}
	}
}

// mentioned adds the inputs to which templates refer; "*" means all inputs.
func mentioned(n *spec.Node, found map[string]bool) {
	members, whole := expr.Members(n, "inputs")
	for _, member := range members {
		found[member] = true
	}
	if whole {
		found["*"] = true
	}
}

// component returns a component. Its properties are only its outputs, because the
// program already has the inputs.
func (g generator) component(m *spec.Component) resource {
	inputs, outputs := g.plainObject(m.Inputs, m.Name, input), g.plainObject(m.Outputs, m.Name, output)
	return resource{
		objectType:      objectType{Description: m.Doc, Properties: outputs.Properties, Required: outputs.Required},
		IsComponent:     true,
		InputProperties: inputs.Properties,
		RequiredInputs:  inputs.Required,
	}
}
