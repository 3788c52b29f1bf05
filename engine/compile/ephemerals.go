package compile

import (
	"fmt"
	"time"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// opener compiles an ephemeral as the function that opens it.
func (c *compiler) opener(m *spec.Ephemeral) (f *plan.Function) {
	c.in(fmt.Sprintf("ephemeral %q", m.Name), "ephemerals."+m.Name, func() {
		c.warn(codeEphemeralStored, m.Range, "", fmt.Sprintf("Pulumi has no ephemeral values: %s is the function %s", m.Name, m.Opener().Name),
			"All that it yields is a secret there; what a program gives to a resource of that is in the state, encrypted. It is opened in previews too, and closed when Pulumi ends the provider.")
		opener := m.Opener()
		// Inside the spec only what its author calls secret is: an id of what is
		// open may go into a path.
		opener.Outputs = m.Outputs
		naming := value.NewNaming(c.wireRule(), c.spec.Types, opener.Outputs, opener.Inputs)
		inputs := expr.Name{Name: "inputs", Type: checked(m.Inputs)}
		c.in("open", "open", func() { f = c.callable(opener, "open", naming, c.everywhere(inputs)) })
		opened := c.everywhere(inputs, expr.Name{Name: "state", Type: openedType(opener)})
		f.Ephemeral = &plan.Ephemeral{Name: m.Name}
		f.Ephemeral.Renew = c.lent(opener, m.Renew, "renew", naming, opened)
		f.Ephemeral.Close = c.lent(opener, m.Close, "close", naming, opened)
		f.Ephemeral.RenewAfter = c.renewAfter(m.RenewAfter, opened)
	})
	return f
}

// openedType is what `state` holds of an ephemeral: its inputs and outputs, by
// name; an output hides the input of its name.
func openedType(m *spec.Function) *spec.Type {
	return stateType(&spec.Resource{Inputs: m.Inputs, Outputs: m.Outputs})
}

// lent compiles renew or close: what is done with what is open.
func (c *compiler) lent(opener *spec.Function, m *spec.Operation, what string, naming value.Naming, scope *expr.Scope) *plan.Function {
	if m == nil {
		return nil
	}
	f := &plan.Function{Spec: opener, Inputs: c.types.Of(opener.Inputs), Outputs: c.types.Of(opener.Outputs), Naming: naming}
	c.in(what, what, func() {
		t := newTrail(scope)
		f.Operation = c.steps(m, t, func(int) {})
		if what == "renew" && !f.Operation.Stepless() {
			// What it does not give stays as it was.
			c.yieldsTo(target{
				name: opener.Name, what: what, outputs: opener.Outputs, inputs: &spec.Type{Kind: spec.Object}, elsewhere: true,
			}, f.Operation, m.Return, t)
		}
	})
	if !f.Operation.Stepless() {
		f.Want()
	}
	return f
}

// renewAfterType is what says how long an opened value lasts: a duration or a
// time, or seconds; null is for ever.
var renewAfterType = &spec.Type{Kind: spec.Union, Nullable: true, Variants: []*spec.Type{{Kind: spec.String}, {Kind: spec.Number}}}

func (c *compiler) renewAfter(n *spec.Node, scope *expr.Scope) *expr.Value {
	v := c.template(n, scope, renewAfterType, "renewAfter")
	if v == nil {
		return nil
	}
	if known, ok := v.Const(); ok {
		if _, err := plan.Until(known, time.Time{}); err != nil {
			c.fail(codeWrongType, n.Range, "renewAfter", fmt.Sprintf("renewAfter cannot be %v", known), value.Capital(err.Error())+".")
			return nil
		}
	}
	return v
}
