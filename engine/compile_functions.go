package engine

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// function is a compiled function of the provider: a query, or, without an
// operation, a value made of its inputs.
type function struct {
	spec            *spec.Function
	inputs, outputs *checker
	naming          naming
	op              *operation
	// ret is what a pure function yields.
	ret *expr.Value
}

// function compiles one.
func (c *compiler) function(m *spec.Function) (f *function) {
	c.in(fmt.Sprintf("function %q", m.Name), "functions."+m.Name, func() { f = c.functionBody(m) })
	return f
}

func (c *compiler) functionBody(m *spec.Function) *function {
	f := &function{spec: m, inputs: c.checker(m.Inputs), outputs: c.checker(m.Outputs), naming: newNaming("", c.spec.Types, m.Outputs)}
	scope := c.everywhere(expr.Name{Name: "inputs", Type: checked(m.Inputs)})
	if m.Operation == nil {
		f.ret = c.template(m.Return, scope, nil, "return")
		c.functionYields(f, f.ret)
		return f
	}
	t := newTrail(scope)
	f.op = c.steps(m.Operation, t, func(int) {})
	for _, s := range f.op.steps {
		if s.effect == actions.Write {
			c.fail(codeFunctionEffect, s.model.Range, "", fmt.Sprintf("a function has an effect: %s", s.action),
				"Hosts call functions in previews too, and as often as they like. Make it a resource, or say `effect: \"none\"` where the action only looks.")
		}
	}
	if m.Operation.Return != nil {
		f.op.ret = c.template(m.Operation.Return, t.scope, nil, "return")
	} else if m.Return != nil {
		f.op.ret = c.template(m.Return, t.scope, nil, "return")
	}
	c.functionYields(f, f.op.ret)
	f.want()
	return f
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
	for _, p := range f.spec.Outputs.Fields {
		last(f.op.steps).wants[p.Name] = true
	}
}

// functionYields reports required outputs that a function is known not to give.
func (c *compiler) functionYields(f *function, ret *expr.Value) {
	var t *spec.Type
	switch {
	case ret != nil:
		t = ret.Type()
	case f.op != nil && len(f.op.steps) > 0:
		t = f.op.steps[len(f.op.steps)-1].result
	default:
		return
	}
	if t = c.spec.Types.Resolve(t); t.Kind != spec.Object || t.Open {
		return
	}
	for _, p := range f.spec.Outputs.Fields {
		given := t.Field(p.Name)
		if given == nil {
			if p.Required {
				c.fail(codeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("nothing gives output %q", p.Name),
					fmt.Sprintf("The function yields no such member. Return it, or make it optional: `%s?:`.", p.Name))
			}
			continue
		}
		if err := expr.Assignable(given.Type, p.Type, c.spec.Types); err != nil {
			c.fail(codeWrongType, p.Range, "outputs."+p.Name, fmt.Sprintf("output %q is given another type", p.Name), err.Error()+".")
		}
	}
}
