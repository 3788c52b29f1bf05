package compile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"

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

// methods compiles the methods of a resource.
func (c *compiler) methods(r *plan.Resource) {
	r.Methods = map[string]*plan.Function{}
	for _, m := range r.Spec.Methods {
		c.in(fmt.Sprintf("method %q", m.Name), "methods."+m.Name, func() { r.Methods[m.Name] = c.method(r, m) })
	}
}

// method compiles one. It sees its own inputs and what is recorded of the
// resource, and may act: a preview runs it only where it does not.
func (c *compiler) method(r *plan.Resource, m *spec.Function) *plan.Function {
	scope := c.everywhere(resourceName(),
		expr.Name{Name: "inputs", Type: checked(m.Inputs)},
		expr.Name{Name: "state", Type: withoutUnsure(r, recordedType(r.Spec))},
		expr.Name{Name: "id", Type: textType})
	scope.NullHelp = nullHelp(r, "")
	naming := value.NewNaming(c.wireRule(), c.spec.Types, m.Outputs, m.Inputs, stateType(r.Spec))
	f := c.callable(m, "the method", naming, scope)
	f.ReliesOn = func(property string) bool {
		return c.refusedWithout(r, property, func(c *compiler, lacking *plan.Resource) { c.method(lacking, m) })
	}
	return f
}

// recordedType is what `state` holds where only the outputs are at hand, which
// have every input but the ephemeral ones.
func recordedType(r *spec.Resource) *spec.Type {
	t := *stateType(r)
	t.Fields = slices.DeleteFunc(slices.Clone(t.Fields), func(p *spec.Property) bool { return p.Ephemeral })
	return &t
}

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

// configuring compiles `configure`: the operation that tries the credentials,
// and whose yield is `session` in all others.
func (c *compiler) configuring() {
	m := c.spec.Configure
	if m == nil {
		return
	}
	c.in("configure", "configure", func() {
		t := newTrail(c.configScope())
		c.configure = c.steps(m, t, func(int) {})
		c.session = &spec.Type{}
		if c.configure.Stepless() {
			return
		}
		c.session = sessionType(plan.Last(c.configure.Steps))
		for _, s := range c.configure.Steps {
			if s.Known && s.Effect == actions.Write {
				c.fail(codeFunctionEffect, s.At, "", fmt.Sprintf("configure has an effect: %s", s.Action),
					"Hosts configure a provider for every preview. Say `effect: \"none\"` where the action only looks or logs in.")
			}
			s.WantsAll = true // what operations use of the session is not known here
		}
		c.configure.Return = c.template(m.Return, t.scope, nil, "return")
		switch {
		case c.configure.Return != nil:
			c.session, c.sessionHidden = c.configure.Return.Type(), c.configure.Return.Hidden()
		case m.Return != nil:
			c.session = &spec.Type{} // broken, which was reported
		}
	})
}

// sessionType is the type of what `configure` yields by its last step.
func sessionType(s *plan.Step) *spec.Type {
	if s.ForEach != nil || s.Yield == "" {
		return plan.StepType(s)
	}
	if s.Model.If != nil {
		return plan.OrNull(s.Yields())
	}
	return s.Yields()
}
