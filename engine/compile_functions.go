package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// function is a compiled function of the provider, or what is made like one: a
// query, or, without an operation, a value made of its inputs.
type function struct {
	spec            *spec.Function
	inputs, outputs *value.Type
	naming          value.Naming
	op              *operation
	// ret is what a pure function yields.
	ret *expr.Value
	// sinks are the inputs that end up where a secret may not go.
	sinks []sink
	// ephemeral is, of a function that opens something, how it is kept.
	ephemeral *ephemeral
	// reliesOn reports, of a method, whether it relies on a property of the resource: see
	// resource.reliesOn.
	reliesOn func(property string) bool
}

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

// effects are the steps that change something.
func (f *function) effects() []*step {
	if f.op == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.op.steps), func(s *step) bool { return !s.known || s.effect != actions.Write })
}

// want notes which members of each step's result the function refers to.
func (f *function) want() {
	w := wanting{named: map[string]*step{}}
	for i, s := range f.op.steps {
		w.step(f.op.steps[:i], f.op.steps[:i+1], s)
		if s.model.As != "" {
			w.named[s.model.As] = s
		}
	}
	if f.op.ret != nil {
		w.note(f.op.steps, nil, f.op.ret)
		return
	}
	if s := last(f.op.steps); s.yield != "" {
		s.want([]string{s.yield})
		return
	}
	for _, p := range f.spec.Outputs.Fields {
		last(f.op.steps).wants[p.Name] = true
	}
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
