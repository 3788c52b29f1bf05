package engine

import (
	"cmp"
	"fmt"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// function compiles one of the provider.
func (c *compiler) function(m *spec.Function) (f *function) {
	c.in(fmt.Sprintf("function %q", m.Name), "functions."+m.Name, func() {
		scope := c.everywhere(expr.Name{Name: "inputs", Type: checked(m.Inputs)})
		f = c.callable(m, "the function", value.NewNaming(c.wireRule(), c.spec.Types, m.Outputs, m.Inputs), scope)
		for _, s := range f.effects() {
			c.fail(codeFunctionEffect, s.at, "", fmt.Sprintf("a function has an effect: %s", s.action),
				"Hosts call functions in previews too, and as often as they like. Make it a resource, or say `effect: \"none\"` where the action only looks.")
		}
	})
	return f
}

// callable compiles what functions have in common; what is who yields, in words.
func (c *compiler) callable(m *spec.Function, what string, naming value.Naming, scope *expr.Scope) *function {
	f := &function{spec: m, inputs: c.types.Of(m.Inputs), outputs: c.types.Of(m.Outputs), naming: naming}
	to := target{name: m.Name, what: what, outputs: m.Outputs, inputs: &spec.Type{Kind: spec.Object}}
	if m.Operation == nil {
		pure := &operation{}
		c.yieldsTo(to, pure, m.Return, newTrail(scope))
		f.ret = pure.ret
		c.functionYields(f, what, pure)
		return f
	}
	t := newTrail(scope)
	f.op = c.steps(m.Operation, t, func(int) {})
	if f.op.stepless() {
		return f
	}
	for _, s := range f.op.steps {
		f.sinks = append(f.sinks, exposed(s)...)
	}
	c.yieldsTo(to, f.op, cmp.Or(m.Operation.Return, m.Return), t)
	c.functionYields(f, what, f.op)
	f.want()
	return f
}

// functionYields reports required outputs that a function is known not to give.
func (c *compiler) functionYields(f *function, what string, op *operation) {
	var t *spec.Type
	switch {
	case op.broken:
		return
	case op.ret != nil:
		t = op.ret.Type()
	case len(op.steps) > 0:
		t = last(op.steps).yields()
	}
	c.outputsYielded(what, t, f.spec.Outputs, op)
}

// outputsYielded reports required outputs that a yield of a type is known not to
// have.
func (c *compiler) outputsYielded(what string, t, outputs *spec.Type, op *operation) {
	if t = c.spec.Types.Resolve(t); t.Kind != spec.Object || t.Open {
		return
	}
	for _, p := range outputs.Fields {
		if !p.Required || t.Field(p.Name) != nil || op.meansTo(p.Name) {
			continue
		}
		c.fail(codeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("nothing gives output %q", p.Name),
			fmt.Sprintf("%s yields no such member. Return it, or make it optional: `%s?:`.", value.Capital(what), p.Name)+c.remedyWire(op, t, p))
	}
}
