package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// A create that stopped halfway, after it had the id, leaves a resource that has
// only some of its outputs; update, delete and methods may then meet null where
// the declaration says that there is a value.
//
// An output is sure to be there
//   - if create's `return` makes it of what is known as soon as the id is: the
//     engine then evaluates it also where a later step failed; and
//   - if the id is known only after the last step, which has neither `until` nor
//     `fail`: then a resource is left only where that step was answered as it
//     should be. That its answer lacks a required output is not seen as possible
//     here: read fills it in, in this run or with the next refresh.

// unsureOutputs are the required outputs that are not sure to be there.
func (c *compiler) unsureOutputs(r *plan.Resource) map[string]bool {
	if r.Create == nil || r.Create.Stepless() || r.ID == nil || r.Create.Broken {
		return nil
	}
	end := plan.Last(r.Create.Steps)
	late := r.IDAfter < end.Index || end.Until != nil || end.Fail != nil
	if !late {
		return nil
	}
	unsure := map[string]bool{}
	for _, p := range r.Spec.Outputs.Fields {
		if p.Required && !p.Type.Nullable && !c.returnedEarly(r, p.Name) {
			unsure[p.Name] = true
		}
	}
	return unsure
}

// returnedBy is the part of create's `return` for a property, or nil.
func returnedBy(r *plan.Resource, property string) *spec.Node {
	written := r.Spec.Create.Return
	if written == nil {
		written = r.Spec.Return
	}
	if written == nil || written.Kind != spec.MapNode {
		return nil
	}
	return written.Get(property)
}

// returnedEarly reports whether create's `return` makes a property of what is
// known as soon as the id is.
func (c *compiler) returnedEarly(r *plan.Resource, property string) bool {
	n := returnedBy(r, property)
	if n == nil {
		return false
	}
	v, diags := expr.Compile(n, anyScope(), nil)
	if diags.HasErrors() {
		return false
	}
	for _, ref := range v.Refs() {
		switch root := ref.Path[0]; {
		case root == "inputs" || root == "config" || root == "session" || root == "resource" || root == "id":
		case root == "steps" && len(ref.Path) > 1:
			i := slices.IndexFunc(r.Create.Steps, func(s *plan.Step) bool { return s.Model.As == ref.Path[1] })
			if i < 0 || i > r.IDAfter {
				return false
			}
		default:
			return false
		}
	}
	typed := r.Create.Return
	if typed == nil {
		return false
	}
	p := c.spec.Types.Resolve(typed.Type()).Field(property)
	return p != nil && !c.spec.Types.Resolve(p.Type).Nullable
}

// withoutUnsure is the type of a state, where the outputs that are not sure to be
// there are optional.
func withoutUnsure(r *plan.Resource, t *spec.Type) *spec.Type {
	if len(r.Unsure) == 0 && r.Lacks == "" {
		return t
	}
	return without(t, func(name string) bool { return r.Unsure[name] || name == r.Lacks })
}

// without is an object's type in which the properties are optional that may be missing.
func without(t *spec.Type, missing func(name string) bool) *spec.Type {
	out := *t
	out.Fields = slices.Clone(t.Fields)
	for i, p := range out.Fields {
		if missing(p.Name) {
			optional := *p
			optional.Required = false
			out.Fields[i] = &optional
		}
	}
	return &out
}

// helpUnsure says what to do about an output that may not be there.
func helpUnsure(r *plan.Resource, name string) string {
	const why = "A create that stops halfway leaves the resource without it. "
	if isIDOf(r, name) {
		return why + "The id is the same, and always there: use id."
	}
	early := "the step that gives the id"
	if s := r.Create.Steps; r.IDAfter < len(s) {
		early = s[r.IDAfter].Name
	}
	return why + fmt.Sprintf("Guard it: `if: \"${state.%s != null}\"` on the step, or state.%s ?? …; or let create's `return` take it from %s.", name, name, early)
}

// isIDOf reports whether an output is what the id is: by the `return` of create, or
// by the name of what its last step gives.
func isIDOf(r *plan.Resource, name string) bool {
	pieces := r.ID.Segments()
	if len(pieces) != 1 || pieces[0].Ref == nil {
		return false
	}
	ref := pieces[0].Ref
	if n := returnedBy(r, name); n != nil {
		return n.Kind == spec.StringNode && strings.Join(strings.Fields(n.Text), "") == "${"+strings.Join(ref, ".")+"}"
	}
	if r.Create.Return != nil {
		return false
	}
	p := r.Spec.Outputs.Field(name)
	if p == nil || len(ref) < 2 {
		return false
	}
	if s := plan.Last(r.Create.Steps); s != nil && s.Returns {
		return plan.Last(ref) == p.Name
	}
	return plan.Last(ref) == r.Naming.Rule.Name(p)
}

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
