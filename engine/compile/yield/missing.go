package yield

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// CheckOutputs reports required outputs that an operation does not yield. The operation may be nil
// if t is the type of the yield.
func (c *Checker) CheckOutputs(source string, t, outputs *spec.Type, op *plan.Operation) {
	if t = c.Types.Resolve(t); t.Kind != spec.Object || t.Open {
		return
	}
	for _, p := range outputs.Fields {
		if !p.Required || t.Field(p.Name) != nil || op.MeansTo(p.Name) {
			continue
		}
		c.Fail(finding.CodeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("output %q is never set", p.Name),
			fmt.Sprintf("%s yields no such member. Return it, or make it optional: `%s?:`.", diag.UpperFirst(source), p.Name)+c.renameRemedy(op, t, p))
	}
}

// CheckResource reports the inputs of a resource that a read does not yield, and the outputs that
// no operation yields.
func (c *Checker) CheckResource(r *plan.Resource) {
	read, at := Known(r.Read, r.Spec.Read, c.Types)
	if read != nil && r.ID != nil { // the id may give inputs
		for _, p := range r.Spec.Inputs.Fields {
			if read.Field(p.Name) != nil || p.NoRead || p.Ephemeral || r.Identity.Determines(p.Name) || r.Read.MeansTo(p.Name) || types.IsOnlyNull(p.Type) {
				continue
			}
			c.Fail(finding.CodeNotReadBack, p.Range, "inputs."+p.Name, fmt.Sprintf("read does not yield input %q", p.Name),
				fmt.Sprintf("Each refresh would unset it. Read yields (%s): %s. Return the input, or mark it @noRead() if the API never returns it.",
					at, strings.Join(read.FieldNames(), ", "))+c.renameRemedy(r.Read, read, p))
		}
	}
	if r.Create == nil {
		return
	}
	created, createdAt := Known(r.Create, r.Spec.Create, c.Types)
	known, last := []*spec.Type{created}, r.Create
	if r.Read == nil {
		at = createdAt
	} else {
		known, last = append(known, read), r.Read
	}
	if slices.Contains(known, nil) {
		return
	}
	for _, p := range r.Spec.Outputs.Fields {
		yields := func(t *spec.Type) bool { return t.Field(p.Name) != nil }
		if p.Required && !slices.ContainsFunc(known, yields) && !r.Create.MeansTo(p.Name) && !r.Read.MeansTo(p.Name) {
			c.Fail(finding.CodeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("output %q is never set", p.Name),
				fmt.Sprintf("No operation yields it (%s). Return it, or make it optional: `%s?:`.", at, p.Name)+c.renameRemedy(last, plan.Last(known), p))
		}
	}
}

// Known returns the members that an operation yields, as a closed object type, and where they
// stand. It returns nil if they are not known.
func Known(op *plan.Operation, m *spec.Operation, named spec.Types) (*spec.Type, diag.Range) {
	if op == nil || op.Stepless() || op.Broken {
		return nil, diag.Range{}
	}
	t := plan.Last(op.Steps).Yields()
	if op.Return != nil {
		t = op.Return.Type()
	}
	if t = named.Resolve(t); t.Kind != spec.Object || t.Open {
		return nil, m.Range
	}
	return t, m.Range
}

// renameRemedy returns how to name a property that the response has under another name: a member
// of the same type and a similar name. It returns "" if there is none.
func (c *Checker) renameRemedy(op *plan.Operation, t *spec.Type, p *spec.Property) string {
	if op == nil || op.Return != nil || t == nil {
		return ""
	}
	const most = 3
	var similar []string
	for _, f := range t.Fields {
		if len(similar) < most && areSimilar(p.Name, f.Name) && types.Projectable(f.Type, p.Type, c.Types) == nil {
			similar = append(similar, value.WireArgument(c.Wire.Name(f)))
		}
	}
	if len(similar) == 0 {
		return ""
	}
	return fmt.Sprintf(" If it is %s of the response, rename it in the type that the step returns: `%s: … @wire(%s)`.", diag.Or(similar), p.Name, similar[0])
}

// areSimilar reports whether two names may mean the same, such as id and poolId.
func areSimilar(name, member string) bool {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	a, b := plain(name), plain(member)
	const least = 2
	return len(a) >= least && len(b) >= least && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a) || strings.HasPrefix(b, a) || strings.HasPrefix(a, b)) ||
		diag.DidYouMean(a, []string{b}) != ""
}
