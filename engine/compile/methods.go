package compile

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// methods compiles the methods of a resource.
func (c *compiler) methods(r *plan.Resource) {
	r.Methods = map[string]*plan.Function{}
	for _, m := range r.Spec.Methods {
		c.in(fmt.Sprintf("method %q", m.Name), "methods."+m.Name, func() { r.Methods[m.Name] = c.method(r, m) })
	}
}

// method compiles one. It sees its own inputs and what is recorded of the
// resource, and may act: a preview runs it only where it does not.
func (c *compiler) method(r *plan.Resource, m *spec.Function) *plan.Function {
	scope := c.everywhere(resourceName(),
		expr.Name{Name: "inputs", Type: checked(m.Inputs)},
		expr.Name{Name: "state", Type: withoutUnsure(r, recordedType(r.Spec))},
		expr.Name{Name: "id", Type: textType})
	scope.NullHelp = nullHelp(r, "")
	naming := value.NewNaming(c.wireRule(), c.spec.Types, m.Outputs, m.Inputs, stateType(r.Spec))
	f := c.callable(m, "the method", naming, scope)
	f.ReliesOn = func(property string) bool {
		return c.refusedWithout(r, property, func(c *compiler, lacking *plan.Resource) { c.method(lacking, m) })
	}
	return f
}

// recordedType is what `state` holds where only the outputs are at hand, which
// have every input but the ephemeral ones.
func recordedType(r *spec.Resource) *spec.Type {
	t := *stateType(r)
	t.Fields = slices.DeleteFunc(slices.Clone(t.Fields), func(p *spec.Property) bool { return p.Ephemeral })
	return &t
}
