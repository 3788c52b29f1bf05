package names

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// SchemaTypes returns the definitions that belong in the schema: those that settings,
// inputs and outputs refer to, directly or indirectly. Definitions that only check
// responses are internal to the spec.
func SchemaTypes(p *spec.Provider) spec.Types {
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

// Functions returns the functions of a spec, including those that open its
// ephemerals, because Pulumi has no ephemerals.
func Functions(p *spec.Provider) []*spec.Function {
	all := slices.Clone(p.Functions)
	for _, e := range p.Ephemerals {
		all = append(all, e.Opener())
	}
	return all
}
