package compile

import (
	"cmp"
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// function compiles one of the provider.
func (c *compiler) function(m *spec.Function) (f *plan.Function) {
	c.in(fmt.Sprintf("function %q", m.Name), "functions."+m.Name, func() {
		scope := c.everywhere(expr.Name{Name: "inputs", Type: checked(m.Inputs)})
		f = c.callable(m, "the function", value.NewNaming(c.wireRule(), c.spec.Types, m.Outputs, m.Inputs), scope)
		for _, s := range f.Effects() {
			c.fail(codeFunctionEffect, s.At, "", fmt.Sprintf("a function has an effect: %s", s.Action),
				"Hosts call functions in previews too, and as often as they like. Make it a resource, or say `effect: \"none\"` where the action only looks.")
		}
	})
	return f
}

// callable compiles what functions have in common; what is who yields, in words.
func (c *compiler) callable(m *spec.Function, what string, naming value.Naming, scope *expr.Scope) *plan.Function {
	f := &plan.Function{Spec: m, Inputs: c.types.Of(m.Inputs), Outputs: c.types.Of(m.Outputs), Naming: naming}
	to := target{name: m.Name, what: what, outputs: m.Outputs, inputs: &spec.Type{Kind: spec.Object}}
	if m.Operation == nil {
		pure := &plan.Operation{}
		c.yieldsTo(to, pure, m.Return, newTrail(scope))
		f.Return = pure.Return
		c.functionYields(f, what, pure)
		return f
	}
	t := newTrail(scope)
	f.Operation = c.steps(m.Operation, t, func(int) {})
	if f.Operation.Stepless() {
		return f
	}
	for _, s := range f.Operation.Steps {
		f.Sinks = append(f.Sinks, exposed(s)...)
	}
	c.yieldsTo(to, f.Operation, cmp.Or(m.Operation.Return, m.Return), t)
	c.functionYields(f, what, f.Operation)
	f.Want()
	return f
}

// functionYields reports required outputs that a function is known not to give.
func (c *compiler) functionYields(f *plan.Function, what string, op *plan.Operation) {
	var t *spec.Type
	switch {
	case op.Broken:
		return
	case op.Return != nil:
		t = op.Return.Type()
	case len(op.Steps) > 0:
		t = plan.Last(op.Steps).Yields()
	}
	c.outputsYielded(what, t, f.Spec.Outputs, op)
}

// outputsYielded reports required outputs that a yield of a type is known not to
// have.
func (c *compiler) outputsYielded(what string, t, outputs *spec.Type, op *plan.Operation) {
	if t = c.spec.Types.Resolve(t); t.Kind != spec.Object || t.Open {
		return
	}
	for _, p := range outputs.Fields {
		if !p.Required || t.Field(p.Name) != nil || op.MeansTo(p.Name) {
			continue
		}
		c.fail(codeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("nothing gives output %q", p.Name),
			fmt.Sprintf("%s yields no such member. Return it, or make it optional: `%s?:`.", value.Capital(what), p.Name)+c.remedyWire(op, t, p))
	}
}
