package compile

import (
	"maps"
	"slices"

	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// A create that stops halfway, after the id is known, leaves a resource with only some of its
// outputs. Update, delete and methods may then see null where the declaration says that there is a
// value.
//
// An output is sure to be set
//   - if create's `return` makes it of what is known once the id is: the engine evaluates it
//     even if a later step fails; and
//   - if the id is known only after the last step, and that step has neither `until` nor `fail`:
//     then a resource is left only if the step succeeded. A response that lacks a required output
//     is not considered: read sets the output, in this run or at the next refresh.

// unsureOutputs returns the required outputs that are not sure to be set.
func unsureOutputs(r *plan.Resource) map[string]bool {
	if r.Create == nil || r.Create.Stepless() || r.ID == nil || r.Create.Broken {
		return nil
	}
	last := plan.Last(r.Create.Steps)
	if r.IDAfter >= last.Index && last.Until == nil && last.Fail == nil {
		return nil
	}
	unsure := map[string]bool{}
	for _, p := range r.Spec.Outputs.Fields {
		if p.Required && !p.Type.Nullable && !isReturnedEarly(r, p.Name) {
			unsure[p.Name] = true
		}
	}
	return unsure
}

// isReturnedEarly reports whether create's `return` makes a property of what is known once the id
// is.
func isReturnedEarly(r *plan.Resource, property string) bool {
	n := returnedNode(r, property)
	if n == nil || r.Create.Return == nil {
		return false
	}
	v, diags := expr.Compile(n, scopes.Untyped(), nil)
	if diags.HasErrors() {
		return false
	}
	for _, ref := range v.Refs() {
		switch root := ref.Path[0]; {
		case slices.Contains([]string{"inputs", "config", "session", "resource", "id"}, root):
		case root == "steps" && len(ref.Path) > 1:
			i := slices.IndexFunc(r.Create.Steps, func(s *plan.Step) bool { return s.Model.As == ref.Path[1] })
			if i < 0 || i > r.IDAfter {
				return false
			}
		default:
			return false
		}
	}
	p := r.Types.Resolve(r.Create.Return.Type()).Field(property)
	return p != nil && !r.Types.Resolve(p.Type).Nullable
}

// returnedNode returns the part of create's `return` for a property, or nil.
func returnedNode(r *plan.Resource, property string) *spec.Node {
	written := r.Spec.Return
	if r.Spec.Create != nil && r.Spec.Create.Return != nil { // a spec without a create is reported elsewhere
		written = r.Spec.Create.Return
	}
	if written == nil || written.Kind != spec.MapNode {
		return nil
	}
	return written.Get(property)
}

// withoutUnsure returns the type of a state in which outputs that are not sure to be set are
// optional.
func withoutUnsure(r *plan.Resource, state *spec.Type) *spec.Type {
	return scopes.LackingType(state, append(slices.Collect(maps.Keys(r.Unsure)), r.Lacks)...)
}

// reliesOn reports whether an operation relies on a required property.
func (c *resourceCompiler) reliesOn(v plan.Verb, property string) bool {
	op := map[plan.Verb]*spec.Operation{plan.Read: c.r.Spec.Read, plan.Update: c.r.Spec.Update, plan.Delete: c.r.Spec.Delete}[v]
	return c.requires(property, func(lacking *resourceCompiler) { lacking.operation(v, op) })
}

// requires reports whether a part of the resource relies on a required property: whether it fails
// to compile, because of an unguarded null, if the recorded state may lack that property.
func (c *resourceCompiler) requires(property string, compile func(lacking *resourceCompiler)) bool {
	r := *c.r
	r.Sinks, r.Lacks = nil, property
	lacking := &resourceCompiler{compiler: c.fork(), r: &r}
	compile(lacking)
	return slices.ContainsFunc(lacking.Diags, func(d diag.Diagnostic) bool { return d.Code == types.CodeNullUnguarded })
}
