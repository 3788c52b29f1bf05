package names

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// Shown returns the definitions that a schema shows: those that settings, inputs
// and outputs refer to, and those that these refer to. What only a response is
// checked against is nobody's business outside of the spec.
func Shown(p *spec.Provider) spec.Types {
	shown := spec.Types{}
	var visit func(t *spec.Type)
	visit = func(t *spec.Type) {
		if t == nil {
			return
		}
		if named := p.Types[t.Ref]; named != nil && shown[t.Ref] == nil {
			shown[t.Ref] = named
			visit(named.Type)
		}
		visit(t.Elem)
		for _, f := range t.Fields {
			visit(f.Type)
		}
		for _, v := range t.Variants {
			visit(v)
		}
	}
	visit(p.Config)
	callables := Functions(p)
	for _, r := range p.Resources {
		visit(r.Inputs)
		visit(r.Outputs)
		callables = append(callables, r.Methods...)
		if r.List != nil {
			visit(r.List.Inputs)
		}
	}
	for _, c := range p.Components {
		visit(c.Inputs)
		visit(c.Outputs)
	}
	for _, f := range callables {
		visit(f.Inputs)
		visit(f.Outputs)
	}
	return shown
}

// Functions returns the functions that a spec has, and those that open its
// ephemerals: Pulumi has no values that are opened and closed.
func Functions(p *spec.Provider) []*spec.Function {
	all := slices.Clone(p.Functions)
	for _, e := range p.Ephemerals {
		all = append(all, e.Opener())
	}
	return all
}
