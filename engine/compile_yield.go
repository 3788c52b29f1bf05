package engine

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// yield compiles what an operation yields, and checks that it can be projected
// onto the resource's properties: its own `return`, else the resource's, else
// what its last step gives.
func (c *compiler) yield(r *resource, op *operation, v verb, m *spec.Operation, t *trail) {
	if len(t.steps) == 0 {
		return // broken, which was reported
	}
	written := m.Return
	if written == nil {
		written = r.spec.Return
	}
	if written == nil {
		c.resultFits(r, v, t)
		return
	}
	if op.ret = c.template(written, t.scope, nil, "return"); op.ret == nil {
		return
	}
	if written.Kind != spec.MapNode {
		c.objectFits(r, v, op.ret.Type(), func(*spec.Property) diag.Range { return written.Range })
		return
	}
	for _, f := range written.Fields {
		c.returned(r, v, f, t.scope)
	}
}

// returned checks one property of a `return` that is written out.
func (c *compiler) returned(r *resource, v verb, f spec.Field, s *expr.Scope) {
	targets := projectedOnto(r, v, f.Name)
	if len(targets) == 0 {
		if r.spec.Inputs.Field(f.Name) != nil {
			return // of use to read, where create and update share the resource's return
		}
		names := slices.Concat(r.spec.Outputs.FieldNames(), r.spec.Inputs.FieldNames())
		c.fail(codeUnknownProperty, f.NameRange, "return."+f.Name, fmt.Sprintf("no property %q to return", f.Name),
			fmt.Sprintf("%s has no such output, nor input. %s", r.spec.Name, diag.Remedy(f.Name, names)))
		return
	}
	value := c.template(f.Value, s, nil, "return."+f.Name)
	if value == nil {
		return
	}
	for _, p := range targets {
		if !c.projects(value.Type(), p.Type) {
			c.template(f.Value, s, c.returnable(r, v, p), "return."+f.Name)
		}
	}
	if out := r.spec.Outputs.Field(f.Name); out != nil && value.Secret() && !out.Secret && !out.Ephemeral {
		c.fail(codeSecretExposed, f.Value.Range, "return."+f.Name, fmt.Sprintf("a secret goes into output %q, which is not @secret()", f.Name),
			"Hosts show outputs. Say @secret() on it, or return something else.")
	}
}

// projectedOnto are the properties that a member of an operation's yield is for.
func projectedOnto(r *resource, v verb, name string) []*spec.Property {
	var out []*spec.Property
	if p := r.spec.Outputs.Field(name); p != nil {
		out = append(out, p)
	}
	if p := r.spec.Inputs.Field(name); p != nil && v == read {
		out = append(out, p)
	}
	return out
}

// returnable is the type that a returned value must have: null is absence, which
// an output that must be there affords only where read can still give it.
func (c *compiler) returnable(r *resource, v verb, p *spec.Property) *spec.Type {
	output := r.spec.Outputs.Field(p.Name) == p
	if output && p.Required && (v == read || r.spec.Read == nil) {
		return p.Type
	}
	t := *p.Type
	t.Nullable = true
	return &t
}

// resultFits checks the result of the last step, where nothing says what it
// means.
func (c *compiler) resultFits(r *resource, v verb, t *trail) {
	if last := t.steps[len(t.steps)-1]; last.forEach == nil {
		c.objectFits(r, v, last.result, func(p *spec.Property) diag.Range { return p.Range })
	}
}

// objectFits checks an object as a whole; at says where a finding about a
// property is shown.
func (c *compiler) objectFits(r *resource, v verb, t *spec.Type, at func(*spec.Property) diag.Range) {
	t = c.spec.Types.Resolve(t)
	if t.Kind != spec.Object {
		return
	}
	for _, f := range t.Fields {
		for _, p := range projectedOnto(r, v, f.Name) {
			present := *f.Type
			present.Nullable = false
			if c.projects(&present, p.Type) {
				continue
			}
			c.fail(codeTypeMismatch, at(p), p.Name, fmt.Sprintf("%s gives %s for %q, which is declared as %s", v, describe(f.Type), p.Name, describe(p.Type)),
				"Declare what is given, or convert it in a `return`.")
		}
	}
}

// projects reports whether values of a type become a property as they are: a
// number may become text, whose digits it keeps.
func (c *compiler) projects(from, to *spec.Type) bool {
	switch c.spec.Types.Resolve(from).Kind {
	case spec.Int, spec.Number:
		if target := c.spec.Types.Resolve(to); target.Kind == spec.String && !c.spec.Types.Resolve(from).Nullable {
			return true
		}
	}
	return expr.Assignable(from, to, c.spec.Types) == nil
}
