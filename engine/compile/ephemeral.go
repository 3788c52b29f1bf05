package compile

import (
	"fmt"
	"time"

	"github.com/declprov/declprov/engine/compile/certainty"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// opener compiles an ephemeral value as the function that opens it.
func (c *compiler) opener(m *spec.Ephemeral) (f *plan.Function) {
	c.In(fmt.Sprintf("ephemeral %q", m.Name), "ephemerals."+m.Name, func() {
		opener := m.Opener()
		c.Warn(finding.CodeEphemeralStored, m.Range, "", fmt.Sprintf("Pulumi has no ephemeral values: %s is the function %s", m.Name, opener.Name),
			"Pulumi marks all its outputs as secret, and stores them encrypted in the state if a program passes them to a resource. "+
				"Previews open the value too, and Pulumi closes it when it stops the provider.")
		// Templates of the spec may show what its author does not mark as secret, such as an id.
		opener.Outputs = m.Outputs
		naming := value.NewNaming(c.wire, c.Spec.Types, opener.Outputs, opener.Inputs)
		inputs := expr.Name{Name: "inputs", Type: scopes.CheckedType(m.Inputs)}
		c.In("open", "open", func() {
			f = c.callable(opener, "open", naming, c.CommonScope(inputs))
			certainty.CheckRepeats(c.Collector, f.Operation)
		})
		opened := c.CommonScope(inputs, expr.Name{Name: "state", Type: scopes.StateType(opener.Inputs, opener.Outputs)})
		f.Ephemeral = &plan.Ephemeral{
			Name:       m.Name,
			Renew:      c.afterOpen(opener, m.Renew, "renew", naming, opened),
			Close:      c.afterOpen(opener, m.Close, "close", naming, opened),
			RenewAfter: c.renewAfter(m.RenewAfter, opened),
		}
	})
	return f
}

// afterOpen compiles renew or close of an opened value.
func (c *compiler) afterOpen(opener *spec.Function, m *spec.Operation, name string, naming value.Naming, scope *expr.Scope) *plan.Function {
	if m == nil {
		return nil
	}
	f := &plan.Function{Spec: opener, Inputs: c.types.Build(opener.Inputs), Outputs: c.types.Build(opener.Outputs), Naming: naming}
	c.In(name, name, func() {
		t := scopes.NewTrail(scope)
		f.Operation = c.steps.Operation(m, t, nil)
		certainty.CheckRepeats(c.Collector, f.Operation)
		if name == "renew" && !f.Operation.Stepless() {
			c.yields.Compile(yield.Target{
				Name: opener.Name, Source: name, Outputs: opener.Outputs, Inputs: &spec.Type{Kind: spec.Object},
				ReadLater: true, // outputs that it does not yield stay as they are
			}, f.Operation, m.Return, t)
		}
	})
	markUses(f.Operation, nil, opener.Outputs)
	return f
}

// renewAfterType is the type of the time after which an opened value is renewed: a duration or a
// time, or a number of seconds; or null for never.
var renewAfterType = &spec.Type{Kind: spec.Union, Nullable: true, Variants: []*spec.Type{{Kind: spec.String}, {Kind: spec.Number}}}

// renewAfter compiles the time after which an opened value is renewed.
func (c *compiler) renewAfter(n *spec.Node, scope *expr.Scope) *expr.Value {
	v := c.Template(n, scope, renewAfterType, "renewAfter")
	if v == nil {
		return nil
	}
	if known, ok := v.Const(); ok {
		if _, err := plan.RenewalDelay(known, time.Time{}); err != nil {
			c.Fail(finding.CodeWrongType, n.Range, "renewAfter", fmt.Sprintf("invalid renewAfter %v", known), diag.UpperFirst(err.Error())+".")
			return nil
		}
	}
	return v
}
