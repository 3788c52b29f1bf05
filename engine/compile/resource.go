package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/certainty"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/identity"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/template"
)

// resourceCompiler compiles one resource.
type resourceCompiler struct {
	*compiler
	r *plan.Resource
}

// resource compiles a resource. The order matters: later parts see what is known of earlier ones.
func (c *compiler) resource(m *spec.Resource) *plan.Resource {
	r := &plan.Resource{Spec: m, Types: c.Spec.Types, Inputs: c.types.Build(m.Inputs), Outputs: c.types.Build(m.Outputs)}
	rc := &resourceCompiler{compiler: c.withWire(m.Wire), r: r}
	r.ReliesOn = rc.reliesOn
	r.Naming = value.NewNaming(rc.wire, r.Types, scopes.StateType(m.Inputs, m.Outputs))
	r.SecretNames = r.Naming.SecretNames()
	c.In(fmt.Sprintf("resource %q", m.Name), "resources."+m.Name, rc.compile)
	return r
}

// compile compiles the parts of the resource.
func (c *resourceCompiler) compile() {
	r, m := c.r, c.r.Spec
	r.Defaults = c.derivedInputs(m.Inputs)
	c.checks()
	c.id(c.create())
	identity.Compile(c.Collector, c.Names, r)
	r.Unsure = unsureOutputs(r)
	r.Read = c.operation(plan.Read, m.Read)
	r.Update = c.operation(plan.Update, m.Update)
	r.Delete = c.operation(plan.Delete, m.Delete)
	c.diffRules()
	c.upgrades()
	c.list()
	c.methods()
	identity.Check(c.Collector, r)
	r.Consistency = c.Template(m.Consistency, c.ConfigScope(), scopes.StringType, "consistency")
	c.find()
	r.Conditional = r.SendsETag()
	r.LocatedBy = locatedBy(r, c.Spec)
	certainty.Check(c.Collector, r)
	c.yields.CheckResource(r)
	c.examples()
	c.checkSupport(m)
}

// create compiles create, with `id` in scope once it is known. It returns the trail of the steps.
func (c *resourceCompiler) create() *scopes.Trail {
	m := c.r.Spec
	t := scopes.NewTrail(c.scope(plan.Create))
	if m.Create == nil {
		return t
	}
	c.r.IDAfter = idAfter(m, c.steps.FirstEffect(m.Create))
	c.In("create", "create", func() {
		c.r.Create = c.steps.Operation(m.Create, t, func(i int) {
			if i == c.r.IDAfter {
				t.Scope = scopes.Extend(t.Scope, expr.Name{Name: "id", Type: scopes.StringType})
			} else if i < c.r.IDAfter && t.Steps[i].Effect == actions.Write {
				t.Scope = scopes.Extend(t.Scope, expr.Name{
					Name: "id", Meant: idOf(m, m.Create.Steps[i]),
					Absent: "The id is only known once the last step has run. Name the step that makes the object with `as`, and write what it has yielded: steps.NAME.body.…",
				})
			}
		})
		c.yield(c.r.Create, plan.Create, m.Create, t)
	})
	for _, s := range c.r.Create.Steps {
		if slices.ContainsFunc(s.Requests, s.DependsOnInputs) {
			c.r.Asking = append(c.r.Asking, s)
		}
	}
	return t
}

// idOf returns the expression for the id in the response of a step, if the id of the resource is in the response of the last one, or
// "" if the step has no name.
func idOf(m *spec.Resource, s *spec.Step) string {
	if m.ID == nil || s.As == "" {
		return ""
	}
	text, _ := template.Whole(m.ID.Text)
	if text = strings.TrimPrefix(strings.TrimSpace(text), "result."); !strings.HasPrefix(text, "body.") && !strings.HasPrefix(text, "body[") {
		return ""
	}
	return "steps." + s.As + "." + text
}

// idAfter returns the index of the step after which the id can be evaluated: the last step if the
// id refers to `result`, step X if it refers to `steps.X`, but never before the first effect.
func idAfter(m *spec.Resource, firstEffect int) int {
	v, diags := expr.Compile(m.ID, scopes.Untyped(), nil)
	if m.ID == nil || diags.HasErrors() {
		return len(m.Create.Steps) - 1
	}
	after := firstEffect
	for _, ref := range v.Refs() {
		switch name := ref.Path[0]; {
		case slices.Contains(plan.AnswerNames, name):
			return len(m.Create.Steps) - 1
		case name == "steps" && len(ref.Path) > 1:
			i := slices.IndexFunc(m.Create.Steps, func(s *spec.Step) bool { return s.As == ref.Path[1] })
			after = max(after, i)
		}
	}
	return after
}

// id compiles the id in the scope after the steps of create.
func (c *resourceCompiler) id(t *scopes.Trail) {
	scope := t.Scope
	if len(t.Steps) == 0 {
		scope = scopes.Untyped() // create is broken, which was reported
	}
	scope = scopes.Extend(scope)
	scope.NullHelp = idHelp
	c.r.ID = c.Template(c.r.Spec.ID, scope, scopes.IDType, "id")
	c.r.Sinks = append(c.r.Sinks, markUses(c.r.Create, c.r.ID, c.r.Spec.Outputs)...)
	if c.r.ID == nil {
		return
	}
	c.idInputs()
	if c.r.ID.Secret() || takesSecretOutput(c.r, t.Steps) {
		c.Fail(finding.CodeSecretExposed, c.r.Spec.ID.Range, "id", "the id contains a secret", "Hosts show ids everywhere. Build it of values that are not secret.")
	}
	c.r.Sinks = append(c.r.Sinks, sinksOf(c.r.ID, nil, "the id")...)
	for _, ref := range c.r.ID.Refs() {
		if of, _ := plan.ResultOf(t.Steps[:max(0, min(c.r.IDAfter+1, len(t.Steps)))], nil, ref.Path); of != nil {
			c.r.Create.IDFrom = append(c.r.Create.IDFrom, of.Index)
		}
	}
	for _, s := range t.Steps[:max(0, min(c.r.IDAfter, len(t.Steps)))] {
		if !s.Known || s.Effect != actions.Write || len(s.Model.OnFailure) > 0 {
			continue
		}
		take, own := "Name that step with `as` and take the id from it", idOf(c.r.Spec, s.Model)
		if own != "" {
			take = fmt.Sprintf("Take the id from that step: `id: \"${%s}\"`", own)
		}
		d := c.Fail(finding.CodeIdLate, c.r.Spec.ID.Range, "id",
			fmt.Sprintf("the id is known only after step %d, but %s has an effect before it", c.r.IDAfter+1, s.Name),
			fmt.Sprintf("If a step in between fails, what %s made would be lost. %s, or undo it with `onFailure`.", s.Name, take))
		if own != "" {
			d.Replace(c.r.Spec.ID.Text, "${"+own+"}")
		}
		return
	}
}

// checkSupport warns about what a resource or its host does not support.
func (c *compiler) checkSupport(m *spec.Resource) {
	if m.Delete == nil && !m.Kept {
		c.Warn(finding.CodeNoDelete, m.Range, "", fmt.Sprintf("%s has no delete", m.Name),
			"Destroying a resource only removes it from the state; the object stays. Add `delete`. If the object is to stay, say that you know: `delete: null`.")
	}
	for _, p := range m.Inputs.Fields {
		if p.Normalised && m.Read == nil {
			c.Fail(finding.CodeNeverCompared, p.Range, "inputs."+p.Name, fmt.Sprintf("input %q has @normalised, and %s has no read", p.Name, m.Name),
				"It says how a value that read returns is compared. Add `read`, or remove it.")
		}
		if p.Ephemeral {
			c.Warn(finding.CodeEphemeralStored, p.Range, "inputs."+p.Name, fmt.Sprintf("Pulumi stores the ephemeral input %q", p.Name),
				"Pulumi stores what Check returns: there the input is a secret in the state. Terraform does not store it.")
		}
	}
}

// idInputs notes which inputs the id is made of, and whether it has other parts.
func (c *resourceCompiler) idInputs() {
	mixed := false
	for _, s := range c.r.ID.Segments() {
		if plan.IsInput(s) {
			c.r.IDInputs = append(c.r.IDInputs, s.Ref[1])
		}
		mixed = mixed || !s.Literal && !plan.IsInput(s)
	}
	c.r.IDMixes = mixed && slices.ContainsFunc(c.r.ID.Refs(), func(ref expr.Ref) bool { return !slices.Contains(plan.NamesOfResponses, ref.Path[0]) })
}
