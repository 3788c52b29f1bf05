package compile

import (
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// reliesOn reports whether an operation of a verb relies on a property that the outputs
// or inputs require: whether vet would refuse it if a recorded state could lack that.
func (c *compiler) reliesOn(r *plan.Resource, v plan.Verb, property string) bool {
	op := map[plan.Verb]*spec.Operation{plan.Read: r.Spec.Read, plan.Update: r.Spec.Update, plan.Delete: r.Spec.Delete}[v]
	return c.refusedWithout(r, property, func(c *compiler, lacking *plan.Resource) { c.operation(lacking, v, op) })
}

// refusedWithout reports whether what again compiles is refused, for a null that nothing
// guards, where the recorded state of the resource may lack a property.
func (c *compiler) refusedWithout(r *plan.Resource, property string, again func(c *compiler, lacking *plan.Resource)) bool {
	fork, lacking := c.fork(), *r
	fork.wire, lacking.Sinks, lacking.Lacks = r.Spec.Wire, nil, property
	again(fork, &lacking)
	return slices.ContainsFunc(fork.diags, func(d diag.Diagnostic) bool { return d.Code == types.CodeNullUnguarded })
}
