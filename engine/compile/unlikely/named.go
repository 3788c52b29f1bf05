package unlikely

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// checkNamed reports a read, update or delete that does not say which object it is about. A resource whose id is
// constant has only one object.
func (c *checker) checkNamed() {
	if c.r.ID == nil || !refersToObject(c.r.ID.Refs()) {
		return
	}
	for _, o := range []struct {
		verb string
		op   *plan.Operation
	}{{"read", c.r.Read}, {"update", c.r.Update}, {"delete", c.r.Delete}} {
		if o.op == nil || o.op.Broken || len(o.op.Steps) == 0 || c.IsReported(o.verb) || isReported(o.op) || !saysNothing(o.op) {
			continue
		}
		if o.op != c.r.Read && !slices.ContainsFunc(o.op.Steps, func(s *plan.Step) bool { return s.Effect == actions.Write }) {
			continue // it is reported that nothing is done
		}
		at := o.op.Steps[0].At
		c.Warn(finding.CodeObjectNotNamed, at, o.verb, o.verb+" does not name the object",
			"It is the same for all objects of this type. Refer to what names the object: ${id}, or an input. If there is only one such object, give the resource a constant id, such as `id: \"settings\"`.")
	}
}

// saysNothing reports whether an operation refers to nothing of its object.
func saysNothing(op *plan.Operation) bool {
	for _, s := range op.Steps {
		if !s.Known || refersToObject(s.Refs()) {
			return false
		}
	}
	return !slices.ContainsFunc(op.Refs(), func(ref expr.Ref) bool {
		return slices.Contains([]string{"id", "state", "inputs", "changes", "old", "resource", "each"}, ref.Path[0])
	})
}
