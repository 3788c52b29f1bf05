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
	p := c.plan(m)
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

// mentions notes which members of each child anything in the component refers
// to.
func (out *component) mentions() {
	byKey := map[string]*child{}
	for _, ch := range out.children {
		ch.mentioned = map[string]bool{}
		byKey[ch.key] = ch
	}
	for _, v := range out.templates() {
		for _, ref := range v.Refs() {
			if ref.Path[0] != "children" || len(ref.Path) < 2 || byKey[ref.Path[1]] == nil {
				continue
			}
			ch, rest := byKey[ref.Path[1]], ref.Path[2:]
			if ch.forEach != nil && len(rest) > 0 {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] != "*" {
				ch.mentioned[rest[0]] = true
			}
		}
	}
}

// templates are all that the component evaluates in sight of its children.
func (out *component) templates() []*expr.Value {
	list := []*expr.Value{out.whole}
	for _, a := range out.yields {
		list = append(list, a.value)
	}
	for _, ch := range out.children {
		list = append(list, ch.when, ch.forEach, ch.whole)
		for _, a := range ch.inputs {
			list = append(list, a.value)
		}
		list = append(list, ch.options.templates()...)
	}
	return slices.DeleteFunc(list, func(v *expr.Value) bool { return v == nil })
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
