package unlikely

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/diag"
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

// checkPartlyNamed reports a find or delete that names its object by less than the id and read do: it may be about
// the object of somebody else.
func (c *checker) checkPartlyNamed() {
	inID, only := inputsIn(c.r, c.r.ID.Refs())
	if c.r.Read == nil || !only || len(inID) < 2 || c.HasFailed("read") {
		return
	}
	read, _ := c.namedBy(c.r.Read, inID)
	for _, o := range []struct {
		verb, does string
		op         *plan.Operation
	}{{"find", "found", c.r.Find}, {"delete", "deleted", c.r.Delete}} {
		if o.op == nil || o.op.Broken || len(o.op.Steps) == 0 || c.IsReported(o.verb) || isReported(o.op) {
			continue
		}
		named, known := c.namedBy(o.op, inID)
		lacks := slices.DeleteFunc(slices.Clone(read), func(name string) bool { return slices.Contains(named, name) })
		if !known || len(named) == 0 || len(lacks) == 0 {
			continue
		}
		c.Warn(finding.CodeObjectNotNamed, o.op.Steps[0].At, o.verb, fmt.Sprintf("%s names the object only by its %s, not by its %s", o.verb, diag.And(named), diag.And(lacks)),
			fmt.Sprintf("Another object with the same %s would be %s. Name the object as read does, by %s, or by ${id}.", diag.And(named), o.does, diag.And(read)))
	}
}

// namedBy returns which of the inputs in the id an operation refers to: all of them by the id. known is false if it may
// find the object by something else.
func (c *checker) namedBy(op *plan.Operation, inID []string) (names []string, known bool) {
	if op.AsksByID() {
		return inID, true
	}
	names, only := inputsIn(c.r, op.Refs())
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(inID, name) }), only
}

// inputsIn returns the inputs to which references refer. only is false if they refer to another property of the object, to
// all of them, or to a response.
func inputsIn(r *plan.Resource, refs []expr.Ref) (names []string, only bool) {
	for _, ref := range refs {
		switch root := ref.Path[0]; {
		case root == "config" || root == "session" || slices.Contains(plan.AnswerNames, root):
		case (root == "inputs" || root == "state") && len(ref.Path) > 1 && r.Inputs.ByName[ref.Path[1]] != nil:
			if !slices.Contains(names, ref.Path[1]) {
				names = append(names, ref.Path[1])
			}
		default:
			return nil, false
		}
	}
	return names, true
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
