package identity

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// checkReadInputs warns about the inputs of an imported object: those that read asks for although an import does not give them, so that it may
// find another object or none; and those by which updates and deletes name it, and that an import gives although read neither asks for them nor shows
// them, so that nobody sees a wrong one.
func (c *checker) checkReadInputs() {
	r := c.r
	if r.Read == nil || r.Read.Broken {
		return
	}
	given := r.Identity.Inputs()
	shown, _ := yield.Known(r.Read, r.Spec.Read, r.Types)
	for _, p := range r.Spec.Inputs.Fields {
		inID := slices.Contains(r.Identity.OfInputs, p.Name) && r.Read.AsksFor("id")
		switch {
		case given[p.Name]:
			isShown := !p.NoRead && !p.Ephemeral && (shown == nil || shown.Field(p.Name) != nil)
			if !isShown && !inID && !r.Read.AsksFor("inputs."+p.Name) && c.changesBy(p) {
				c.Warn(finding.CodeImportUnverified, p.Range, "inputs."+p.Name, fmt.Sprintf("nothing shows whether an import has the right %q", p.Name),
					fmt.Sprintf("read neither asks for it nor returns it, so a wrong one is recorded, and the next update or delete may be about another object. Let read ask for ${inputs.%s}, or return it.", p.Name))
			}
		case c.readsWithout(p) && !c.deletesWithout(p): // which is reported
			c.Warn(finding.CodeImportIncomplete, p.Range, "inputs."+p.Name, fmt.Sprintf("an imported %s is read without its %q", r.Spec.Name, p.Name),
				fmt.Sprintf("read asks for it, and an import does not give it. Put ${inputs.%s} into import.", p.Name))
		}
	}
}

// readsWithout reports whether the requests of read refer to a required input, which is null in an import, and whose absence
// read does not provide for.
func (c *checker) readsWithout(p *spec.Property) bool {
	return p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil &&
		slices.ContainsFunc(c.r.Read.Steps, func(s *plan.Step) bool {
			return plan.StepAsksFor(s, "inputs."+p.Name) && !expr.Mention(s.When.Refs(), "inputs", "state")
		})
}

// changesBy reports whether the requests of updates or deletes refer to an input.
func (c *checker) changesBy(p *spec.Property) bool {
	for _, op := range []*plan.Operation{c.r.Update, c.r.Delete} {
		if op != nil && slices.ContainsFunc(op.Steps, func(s *plan.Step) bool { return slices.Contains(lists.Map(plan.ExposedRefs(s), nameOfInput), p.Name) }) {
			return true
		}
	}
	return false
}

// nameOfInput returns the name of the input that a reference is to, or "".
func nameOfInput(ref expr.Ref) string {
	if (ref.Path[0] == "inputs" || ref.Path[0] == "state") && len(ref.Path) > 1 {
		return ref.Path[1]
	}
	return ""
}
