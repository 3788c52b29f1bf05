package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// component compiles one.
func (c *compiler) component(m *spec.Component) (out *component) {
	c.in(fmt.Sprintf("component %q", m.Name), "components."+m.Name, func() { out = c.componentBody(m) })
	return out
}

func (c *compiler) componentBody(m *spec.Component) *component {
	out := &component{spec: m, inputs: c.types.Of(m.Inputs), outputs: c.types.Of(m.Outputs), defaults: c.derivedInputs(m.Inputs)}
	p := c.arrange(m)
	for _, planned := range p.order {
		c.in(fmt.Sprintf("child %q", planned.spec.Key), "children."+planned.spec.Key, func() {
			out.children = append(out.children, c.child(p, planned))
		})
	}
	c.componentReturn(out, c.componentScope(p))
	out.mentions()
	return out
}

// componentReturn compiles what the component yields.
func (c *compiler) componentReturn(out *component, s *expr.Scope) {
	m := out.spec
	if m.Return == nil {
		c.outputsYielded("the component", &spec.Type{Kind: spec.Object}, m.Outputs, nil)
		return
	}
	op := &operation{}
	to := target{name: m.Name, what: "the component", outputs: m.Outputs, inputs: &spec.Type{Kind: spec.Object}}
	c.yieldsTo(to, op, m.Return, newTrail(s))
	if op.broken {
		return
	}
	c.outputsYielded("the component", op.ret.Type(), m.Outputs, op)
	if m.Return.Kind != spec.MapNode {
		out.whole = op.ret
		return
	}
	for _, f := range m.Return.Fields {
		if v := c.template(f.Value, s, nil, "return."+f.Name); v != nil {
			out.yields = append(out.yields, assignment{f.Name, v})
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
			inner := c.spec.Component(localType(c.spec.Name, ch.Type))
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
