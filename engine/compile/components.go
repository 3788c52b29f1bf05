package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// component compiles one.
func (c *compiler) component(m *spec.Component) (out *plan.Component) {
	c.in(fmt.Sprintf("component %q", m.Name), "components."+m.Name, func() {
		out = (&componentCompiler{compiler: c, of: m}).compile()
	})
	return out
}

func (c *componentCompiler) compile() *plan.Component {
	m := c.of
	out := &plan.Component{Spec: m, Inputs: c.types.Of(m.Inputs), Outputs: c.types.Of(m.Outputs), Defaults: c.derivedInputs(m.Inputs)}
	c.arrange()
	for _, planned := range c.order {
		c.in(fmt.Sprintf("child %q", planned.spec.Key), "children."+planned.spec.Key, func() {
			out.Children = append(out.Children, c.child(planned))
		})
	}
	c.componentReturn(out, c.componentScope())
	out.Mentions()
	return out
}

// componentReturn compiles what the component yields.
func (c *componentCompiler) componentReturn(out *plan.Component, s *expr.Scope) {
	m := out.Spec
	if m.Return == nil {
		c.outputsYielded("the component", &spec.Type{Kind: spec.Object}, m.Outputs, nil)
		return
	}
	op := &plan.Operation{}
	to := target{name: m.Name, what: "the component", outputs: m.Outputs, inputs: &spec.Type{Kind: spec.Object}}
	c.yieldsTo(to, op, m.Return, newTrail(s))
	if op.Broken {
		return
	}
	c.outputsYielded("the component", op.Return.Type(), m.Outputs, op)
	if m.Return.Kind != spec.MapNode {
		out.Whole = op.Return
		return
	}
	for _, f := range m.Return.Fields {
		if v := c.template(f.Value, s, nil, "return."+f.Name); v != nil {
			out.Yields = append(out.Yields, plan.Assignment{Name: f.Name, Value: v})
		}
	}
}

// endless reports components that contain themselves whatever their inputs are.
func (c *compiler) endless() {
	state := map[string]int{}
	var visit func(m *spec.Component, through []string)
	visit = func(m *spec.Component, through []string) {
		state[m.Name] = 1
		for _, ch := range m.Children {
			inner := c.spec.Component(plan.LocalType(c.spec.Name, ch.Type))
			if inner == nil || ch.If != nil || ch.ForEach != nil {
				continue // may end
			}
			ring := append(slices.Clone(through), m.Name, inner.Name)
			switch state[inner.Name] {
			case 0:
				visit(inner, ring[:len(ring)-1])
			case 1:
				c.in(fmt.Sprintf("component %q, child %q", m.Name, ch.Key), "components."+m.Name+".children."+ch.Key, func() {
					c.fail(codeChildCycle, ch.Type.Range, "type", fmt.Sprintf("component %q contains itself, without end", inner.Name),
						fmt.Sprintf("It goes %s. Say where that ends, with `if` or `forEach`.", strings.Join(ring[slices.Index(ring, inner.Name):], " → ")))
				})
			}
		}
		state[m.Name] = 2
	}
	for _, m := range c.spec.Components {
		if state[m.Name] == 0 {
			visit(m, nil)
		}
	}
}
