package engine

import (
	"fmt"
	"slices"
	"strings"

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
func (c *compiler) unsureOutputs(r *resource) map[string]bool {
	if r.create == nil || r.create.stepless() || r.id == nil || r.create.broken {
		return nil
	}
	end := last(r.create.steps)
	late := r.idAfter < end.index || end.until != nil || end.fail != nil
	if !late {
		return nil
	}
	unsure := map[string]bool{}
	for _, p := range r.spec.Outputs.Fields {
		if p.Required && !p.Type.Nullable && !c.returnedEarly(r, p.Name) {
			unsure[p.Name] = true
		}
	}
	return unsure
}

// returnedBy is the part of create's `return` for a property, or nil.
func returnedBy(r *resource, property string) *spec.Node {
	written := r.spec.Create.Return
	if written == nil {
		written = r.spec.Return
	}
	if written == nil || written.Kind != spec.MapNode {
		return nil
	}
	return written.Get(property)
}

// returnedEarly reports whether create's `return` makes a property of what is
// known as soon as the id is.
func (c *compiler) returnedEarly(r *resource, property string) bool {
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
			i := slices.IndexFunc(r.create.steps, func(s *step) bool { return s.model.As == ref.Path[1] })
			if i < 0 || i > r.idAfter {
				return false
			}
		default:
			return false
		}
	}
	typed := r.create.ret
	if typed == nil {
		return false
	}
	p := c.spec.Types.Resolve(typed.Type()).Field(property)
	return p != nil && !c.spec.Types.Resolve(p.Type).Nullable
}

// withoutUnsure is the type of a state, where the outputs that are not sure to be
// there are optional.
func withoutUnsure(r *resource, t *spec.Type) *spec.Type {
	if len(r.unsure) == 0 && r.lacks == "" {
		return t
	}
	return without(t, func(name string) bool { return r.unsure[name] || name == r.lacks })
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
func helpUnsure(r *resource, name string) string {
	const why = "A create that stops halfway leaves the resource without it. "
	if isIDOf(r, name) {
		return why + "The id is the same, and always there: use id."
	}
	early := "the step that gives the id"
	if s := r.create.steps; r.idAfter < len(s) {
		early = s[r.idAfter].name
	}
	return why + fmt.Sprintf("Guard it: `if: \"${state.%s != null}\"` on the step, or state.%s ?? …; or let create's `return` take it from %s.", name, name, early)
}

// isIDOf reports whether an output is what the id is: by the `return` of create, or
// by the name of what its last step gives.
func isIDOf(r *resource, name string) bool {
	pieces := r.id.Segments()
	if len(pieces) != 1 || pieces[0].Ref == nil {
		return false
	}
	ref := pieces[0].Ref
	if n := returnedBy(r, name); n != nil {
		return n.Kind == spec.StringNode && strings.Join(strings.Fields(n.Text), "") == "${"+strings.Join(ref, ".")+"}"
	}
	if r.create.ret != nil {
		return false
	}
	p := r.spec.Outputs.Field(name)
	if p == nil || len(ref) < 2 {
		return false
	}
	if s := last(r.create.steps); s != nil && s.returns {
		return last(ref) == p.Name
	}
	return last(ref) == r.naming.Rule.Name(p)
}
