package component

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/order"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
)

// CheckRecursion reports components that contain themselves whatever their inputs are.
func CheckRecursion(c *finding.Collector, p *spec.Provider) {
	// inner returns the component that a child always is, or nil.
	inner := func(ch *spec.Child) *spec.Component {
		if ch.If != nil || ch.ForEach != nil {
			return nil
		}
		return p.Component(plan.LocalType(p.Name, ch.Type))
	}
	order.Sort(p.Components, func(m *spec.Component) (inside []*spec.Component) {
		for _, ch := range m.Children {
			if m := inner(ch); m != nil {
				inside = append(inside, m)
			}
		}
		return inside
	}, func(cycle []*spec.Component) {
		names := lists.Map(cycle, func(m *spec.Component) string { return m.Name })
		last := cycle[len(cycle)-2]
		for _, ch := range last.Children {
			if inner(ch) != cycle[0] {
				continue
			}
			c.In(fmt.Sprintf("component %q, child %q", last.Name, ch.Key), "components."+last.Name+".children."+ch.Key, func() {
				c.Fail(finding.CodeChildCycle, ch.Type.Range, "type", fmt.Sprintf("component %q contains itself without end", names[0]),
					fmt.Sprintf("The cycle is %s. End it with `if` or `forEach`.", strings.Join(names, " → ")))
			})
		}
	})
}
