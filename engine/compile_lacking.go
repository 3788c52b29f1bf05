package engine

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// reliesOn reports whether an operation of a verb relies on a property that the outputs
// or inputs require: whether vet would refuse it if a recorded state could lack that.
func (c *compiler) reliesOn(r *resource, v verb, property string) bool {
	op := map[verb]*spec.Operation{read: r.spec.Read, update: r.spec.Update, remove: r.spec.Delete}[v]
	return c.refusedWithout(r, property, func(c *compiler, lacking *resource) { c.operation(lacking, v, op) })
}

// refusedWithout reports whether what again compiles is refused, for a null that nothing
// guards, where the recorded state of the resource may lack a property.
func (c *compiler) refusedWithout(r *resource, property string, again func(c *compiler, lacking *resource)) bool {
	fork, lacking := c.fork(), *r
	fork.wire, lacking.sinks, lacking.lacks = r.spec.Wire, nil, property
	again(fork, &lacking)
	return slices.ContainsFunc(fork.diags, func(d diag.Diagnostic) bool { return d.Code == types.CodeNullUnguarded })
}
