package unlikely

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/stable"
)

// checkSent reports inputs that nothing uses: a program sets them, and their values never reach the object.
func (c *checker) checkSent() {
	if c.r.Create != nil && len(c.r.Create.Steps) > 0 {
		checkUses(c.Collector, c.r.Spec.Inputs, c.refs(), c.isTrigger, c.sendingRemedy)
	}
	if l := c.r.List; l != nil && l.Step != nil && c.r.Spec.List != nil {
		c.In("list", "list", func() {
			refs := slices.Concat(refsOf([]*plan.Step{l.Step}), l.Items.Refs(), l.ID.Refs(), l.Name.Refs())
			checkUses(c.Collector, c.r.Spec.List.Inputs, refs, nil, unusedRemedy("Send it in the request"))
		})
	}
	for name, m := range stable.All(c.r.Methods) {
		c.In(fmt.Sprintf("method %q", name), "methods."+name, func() { checkFunction(c.Collector, m) })
	}
}

// CheckFunction reports inputs of a function or of an ephemeral (kind) that nothing uses.
func CheckFunction(found *finding.Collector, kind string, f *plan.Function) {
	name := f.Spec.Name
	if f.Ephemeral != nil {
		name = f.Ephemeral.Name
	}
	found.In(fmt.Sprintf("%s %q", kind, name), kind+"s."+name, func() { checkFunction(found, f) })
}

func checkFunction(found *finding.Collector, f *plan.Function) {
	refs := slices.Concat(f.Return.Refs(), refsOfAll(f.Operation))
	if e := f.Ephemeral; e != nil {
		refs = append(refs, e.RenewAfter.Refs()...)
		for _, after := range []*plan.Function{e.Renew, e.Close} {
			if after != nil {
				refs = append(refs, refsOfAll(after.Operation)...)
			}
		}
	}
	checkUses(found, f.Spec.Inputs, refs, nil, unusedRemedy("Send it in the request"))
}

// CheckComponent reports inputs of a component that nothing uses.
func CheckComponent(found *finding.Collector, m *plan.Component) {
	var refs []expr.Ref
	for _, v := range m.Templates() {
		refs = append(refs, v.Refs()...)
	}
	for _, d := range m.Defaults {
		refs = append(refs, d.Value.Refs()...)
	}
	found.In(fmt.Sprintf("component %q", m.Spec.Name), "components."+m.Spec.Name, func() {
		checkUses(found, m.Spec.Inputs, refs, nil, unusedRemedy("Pass it to a child"))
	})
}

// checkUses reports inputs that no reference names. The findings are tentative, because what could not be compiled may use the inputs, even
// if the error is in another part: parts share definitions.
// exempt returns whether an input need not be used, and remedy what to do.
func checkUses(found *finding.Collector, inputs *spec.Type, refs []expr.Ref, exempt func(*spec.Property) bool, remedy func(*spec.Property) string) {
	if inputs == nil || found.IsReported("") {
		return
	}
	for _, p := range inputs.Fields {
		if p.Deprecated != "" || exempt != nil && exempt(p) || names(refs, p.Name, "inputs", "changes", "state") {
			continue
		}
		found.Warn(finding.CodeNotSent, p.Range, "inputs."+p.Name, "nothing uses the input "+p.Name, remedy(p)).Tentative = true
	}
}

func unusedRemedy(use string) func(*spec.Property) string {
	return func(p *spec.Property) string {
		return fmt.Sprintf("Its value has no effect. %s (${inputs.%s}), or remove the input.", use, p.Name)
	}
}

// sendingRemedy returns what to do about an input of the resource that nothing uses.
func (c *checker) sendingRemedy(p *spec.Property) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Its value never reaches the object. Send ${inputs.%s} in create", p.Name)
	if c.r.Update != nil && !p.Replace {
		b.WriteString(" and update")
	}
	b.WriteString(". If a change of it is only to replace the object, say so: ")
	if c.r.Read == nil {
		b.WriteString("add @replace().")
	} else {
		b.WriteString("write @replace() @noRead().")
	}
	if c.r.Spec.Outputs.Field(p.Name) == nil {
		b.WriteString(" If only the API sets it, move it to outputs.")
	}
	return b.String()
}

// isTrigger reports whether an input may be there only for its changes: another value replaces the object, or runs the update
// again. read cannot return such an input. A secret is not there to run the update again.
func (c *checker) isTrigger(p *spec.Property) bool {
	return c.replacedByRule(p.Name) || p.Replace && (p.NoRead || c.r.Read == nil) || p.NoRead && !p.IsSecret()
}

// refs returns the references of everything in the resource that may use an input.
func (c *checker) refs() []expr.Ref {
	refs := slices.Concat(c.r.ID.Refs(), c.r.Consistency.Refs())
	for _, op := range []*plan.Operation{c.r.Create, c.r.Read, c.r.Update, c.r.Delete, c.r.Find} {
		refs = append(refs, refsOfAll(op)...)
	}
	for _, m := range stable.All(c.r.Methods) {
		for _, ref := range slices.Concat(refsOfAll(m.Operation), m.Return.Refs()) {
			if ref.Path[0] != "inputs" { // those of the method
				refs = append(refs, ref)
			}
		}
	}
	for _, check := range c.r.Checks {
		refs = append(refs, slices.Concat(check.Assert.Refs(), check.Message.Refs())...)
	}
	for _, rule := range c.r.Rules {
		refs = append(refs, rule.When.Refs()...)
	}
	for _, d := range c.r.Defaults {
		refs = append(refs, d.Value.Refs()...)
	}
	return refs
}

// refsOfAll returns the references of an operation with those of its undo steps. A nil operation has none.
func refsOfAll(op *plan.Operation) []expr.Ref {
	refs := op.Refs()
	if op != nil {
		for _, s := range op.Steps {
			refs = append(refs, refsOf(s.Undo)...)
		}
	}
	return refs
}

// refsOf returns the references of steps.
func refsOf(steps []*plan.Step) []expr.Ref {
	op := plan.Operation{Steps: steps}
	return op.Refs()
}
