package compile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/compile/certainty"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// function compiles a function of the provider.
func (c *compiler) function(m *spec.Function) (f *plan.Function) {
	c.In(fmt.Sprintf("function %q", m.Name), "functions."+m.Name, func() {
		scope := c.CommonScope(expr.Name{Name: "inputs", Type: scopes.CheckedType(m.Inputs)})
		f = c.callable(m, "the function", value.NewNaming(c.wire, c.Spec.Types, m.Outputs, m.Inputs), scope)
		c.refuseEffects(f.Operation, "a function", "Hosts call functions in previews too, and any number of times. Make it a resource, or add `effect: \"none\"` if the action only reads.")
	})
	return f
}

// refuseEffects reports the steps with an effect in what may only read.
func (c *compiler) refuseEffects(op *plan.Operation, what, remedy string) {
	for _, s := range op.Effects() {
		c.Fail(finding.CodeFunctionEffect, s.At, "", fmt.Sprintf("%s has an effect: %s", what, s.Action), remedy)
	}
}

// callable compiles a function, method or opener. source names it in messages about what it
// yields.
func (c *compiler) callable(m *spec.Function, source string, naming value.Naming, scope *expr.Scope) *plan.Function {
	f := &plan.Function{Spec: m, Inputs: c.types.Build(m.Inputs), Outputs: c.types.Build(m.Outputs), Naming: naming}
	op, written, t := &plan.Operation{}, m.Return, scopes.NewTrail(scope)
	if m.Operation != nil {
		op, written = c.steps.Operation(m.Operation, t, nil), cmp.Or(m.Operation.Return, m.Return)
		f.Operation = op
		if op.Stepless() {
			return f
		}
	}
	c.yields.Compile(yield.Target{Name: m.Name, Source: source, Outputs: m.Outputs, Inputs: &spec.Type{Kind: spec.Object}}, op, written, t)
	if m.Operation == nil {
		f.Return = op.Return
	}
	switch {
	case op.Broken:
	case op.Return != nil:
		c.yields.CheckOutputs(source, op.Return.Type(), m.Outputs, op)
	case !op.Stepless():
		c.yields.CheckOutputs(source, plan.Last(op.Steps).Yields(), m.Outputs, op)
	}
	f.Sinks = markUses(op, nil, m.Outputs)
	return f
}

// methods compiles the methods of a resource.
func (c *resourceCompiler) methods() {
	c.r.Methods = map[string]*plan.Function{}
	for _, m := range c.r.Spec.Methods {
		c.In(fmt.Sprintf("method %q", m.Name), "methods."+m.Name, func() { c.r.Methods[m.Name] = c.method(m) })
	}
}

// method compiles a method. It sees its own inputs and the recorded state of the resource, which
// is made of outputs alone: they contain every input but the ephemeral ones.
func (c *resourceCompiler) method(m *spec.Function) *plan.Function {
	state := scopes.StateType(c.r.Spec.Inputs, c.r.Spec.Outputs)
	naming := value.NewNaming(c.wire, c.r.Types, m.Outputs, m.Inputs, state)
	recorded := *state
	recorded.Fields = slices.DeleteFunc(slices.Clone(state.Fields), func(p *spec.Property) bool { return p.Ephemeral })
	scope := c.CommonScope(scopes.ResourceName(),
		expr.Name{Name: "inputs", Type: scopes.CheckedType(m.Inputs)},
		expr.Name{Name: "state", Type: withoutUnsure(c.r, &recorded), MayLack: true, Lacks: c.r.Lacks},
		expr.Name{Name: "id", Type: scopes.StringType})
	scope.NullHelp = nullHelp(c.r, "")
	f := c.callable(m, "the method", naming, scope)
	certainty.CheckRepeats(c.Collector, f.Operation)
	f.ReliesOn = func(property string) bool {
		return c.requires(property, func(lacking *resourceCompiler) { lacking.method(m) })
	}
	return f
}
