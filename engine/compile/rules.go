package compile

import (
	"fmt"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/order"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/stable"
)

// derivedInputs compiles the @default templates of inputs. It returns each after those that it
// refers to.
func (c *compiler) derivedInputs(inputs *spec.Type) []*plan.Derived {
	scope := c.CommonScope(scopes.ResourceName(), expr.Name{Name: "inputs", Type: scopes.CheckedType(inputs)})
	byName := map[string]*plan.Derived{}
	var names []string
	for _, p := range inputs.Fields {
		if p.DefaultExpr == nil {
			continue
		}
		if v := c.Template(p.DefaultExpr, scope, plan.OrNull(p.Type), "inputs."+p.Name); v != nil {
			if null, ok := v.Const(); ok && null == nil {
				c.Fail(finding.CodeDefaultNull, p.DefaultExpr.Range, "inputs."+p.Name, "null cannot be a default",
					"A default of null is left out, as an absent value is: remove the @default.")
			}
			byName[p.Name] = &plan.Derived{Property: p.Name, Value: v}
			names = append(names, p.Name)
		}
	}
	sorted := order.Sort(names, func(name string) (needs []string) {
		for _, ref := range byName[name].Value.Refs() {
			if ref.Path[0] == "inputs" && len(ref.Path) > 1 && byName[ref.Path[1]] != nil {
				needs = append(needs, ref.Path[1])
			}
		}
		return needs
	}, func(cycle []string) {
		c.Fail(finding.CodeDefaultCycle, inputs.Field(cycle[0]).DefaultExpr.Range, "inputs."+cycle[0], fmt.Sprintf("the default of %q depends on itself", cycle[0]),
			"Break the cycle: give one of the inputs a default that does not refer to the others.")
	})
	return lists.Map(sorted, func(name string) *plan.Derived { return byName[name] })
}

// checks compiles the rules of `checks`, over several inputs.
func (c *resourceCompiler) checks() {
	scope := c.CommonScope(scopes.ResourceName(), expr.Name{Name: "inputs", Type: scopes.CheckedType(c.r.Spec.Inputs)})
	for i, m := range c.r.Spec.Checks {
		c.In(fmt.Sprintf("check %d", i+1), fmt.Sprintf("checks[%d]", i), func() {
			check := &plan.Check{Assert: c.Template(m.Assert, scope, scopes.BoolType, "assert"), Message: c.Template(m.Message, scope, scopes.StringType, "message")}
			if m.Property != nil {
				check.Property = m.Property.Text
				c.CheckInputPath(c.r.Spec.Name, c.r.Spec.Inputs, c.r.Types, m.Property, "property")
			}
			c.r.Checks = append(c.r.Checks, check)
		})
	}
}

// diffRules compiles the rules of `diff`.
func (c *resourceCompiler) diffRules() {
	if c.r.Spec.Diff == nil {
		return
	}
	scope := c.scope(plan.Update)
	for i, m := range c.r.Spec.Diff.Rules {
		c.In(fmt.Sprintf("diff rule %d", i+1), fmt.Sprintf("diff.rules[%d]", i), func() {
			rule := &plan.DiffRule{When: c.Template(m.If, scope, scopes.BoolType, "if")}
			for j, n := range m.Replace {
				rule.Replace = append(rule.Replace, n.Text)
				c.CheckInputPath(c.r.Spec.Name, c.r.Spec.Inputs, c.r.Types, n, fmt.Sprintf("replace[%d]", j))
			}
			c.r.Rules = append(c.r.Rules, rule)
		})
	}
}

// upgrades compiles the templates that convert states of older versions.
func (c *resourceCompiler) upgrades() {
	c.r.Upgrades = map[int]*expr.Value{}
	scope := c.Scope(c.ConfigName(), expr.Name{Name: "old"})
	for version, n := range stable.All(c.r.Spec.Upgrade) {
		c.r.Upgrades[version] = c.Template(n, scope, &spec.Type{Kind: spec.Map, Elem: &spec.Type{}}, fmt.Sprintf("upgrade.%d", version))
	}
}
