package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// propertyPath reports a path that leads to no input: `rules[0].port`.
func (c *compiler) propertyPath(owner string, inputs *spec.Type, n *spec.Node, path string) {
	if refused(n) {
		return
	}
	at := inputs
	for name := range strings.FieldsFuncSeq(n.Text, func(ch rune) bool { return ch == '.' || ch == '[' || ch == ']' }) {
		at = c.spec.Types.Resolve(at)
		switch p := at.Field(name); {
		case p != nil:
			at = p.Type
		case at.Kind == spec.Object && !at.Open:
			c.fail(codeUnknownProperty, n.Range, path, fmt.Sprintf("no input %q", n.Text),
				fmt.Sprintf("%s has no input %q there. %s", owner, name, diag.Remedy(name, at.FieldNames())))
			return
		case at.Kind == spec.Union || at.Kind == spec.Any:
			return // what it has, values decide
		default:
			at = at.Elem
		}
	}
}

// want notes which members of each step's result the operation refers to, and
// which inputs end up in the open.
func (c *compiler) want(r *plan.Resource, op *plan.Operation, v plan.Verb) {
	if op == nil || len(op.Steps) == 0 {
		return
	}
	w := plan.Wanting{Named: map[string]*plan.Step{}}
	for i, s := range op.Steps {
		w.Step(op.Steps[:i], op.Steps[:i+1], s)
		for _, u := range s.Undo {
			w.Step(op.Steps[:i+1], op.Steps[:i+1], u)
		}
		if s.Model.As != "" {
			w.Named[s.Model.As] = s
		}
		for _, exposing := range append([]*plan.Step{s}, s.Undo...) {
			r.Sinks = append(r.Sinks, exposed(exposing)...)
		}
	}
	w.Note(op.Steps, nil, r.ID)
	if op.Return != nil {
		w.Note(op.Steps, nil, op.Return)
		return
	}
	// The last step's own result is projected by name.
	last := op.Steps[len(op.Steps)-1]
	if last.Yield != "" {
		last.Want([]string{last.Yield})
		return
	}
	for _, p := range r.Spec.Outputs.Fields {
		last.Wants[p.Name] = true
	}
	if v == plan.Read {
		for _, p := range r.Spec.Inputs.Fields {
			last.Wants[p.Name] = true
		}
	}
}

// readBack reports inputs that read does not give, where the result's type is
// known: without @noRead they would look unset at each refresh.
func (c *compiler) readBack(r *plan.Resource) {
	yields, at := c.yields(r.Read, r.Spec.Read)
	if yields == nil || r.ID == nil {
		return // or the id, which may give inputs, is broken
	}
	for _, p := range r.Spec.Inputs.Fields {
		if yields.Field(p.Name) != nil || p.NoRead || p.Ephemeral || r.Identity.ByID(p.Name) || r.Read.MeansTo(p.Name) {
			continue
		}
		c.fail(codeNotReadBack, p.Range, "inputs."+p.Name, fmt.Sprintf("read does not give input %q", p.Name),
			fmt.Sprintf("What read yields (%s) has: %s. Return it, or say that the world does not give it back: @noRead().",
				at, strings.Join(yields.FieldNames(), ", "))+c.remedyWire(r.Read, yields, p))
	}
}

// yields is the closed object that an operation is known to yield, and where
// that stands; nil where it is not known.
func (c *compiler) yields(op *plan.Operation, m *spec.Operation) (*spec.Type, diag.Range) {
	if op == nil || op.Stepless() || op.Broken {
		return nil, diag.Range{}
	}
	t, at := plan.Last(op.Steps).Yields(), m.Range
	if op.Return != nil {
		t = op.Return.Type()
	}
	if t = c.spec.Types.Resolve(t); t.Kind != spec.Object || t.Open {
		return nil, at
	}
	return t, at
}

// lifecycle reports what a resource cannot do for want of an operation.
func (c *compiler) lifecycle(r *plan.Resource) {
	m := r.Spec
	if m.Delete == nil {
		c.warn(codeNoDelete, m.Range, "", fmt.Sprintf("%s has no delete", m.Name),
			"Destroying one only forgets it; what it made stays. Add `delete`, or keep this if that is meant.")
	}
	for _, p := range m.Inputs.Fields {
		if p.Ephemeral {
			c.warn(codeEphemeralStored, p.Range, "inputs."+p.Name, fmt.Sprintf("Pulumi stores the ephemeral input %q", p.Name),
				"Pulumi keeps what Check returns, so there it is a secret of the state. Terraform does not store it.")
		}
	}
	c.outputsGiven(r)
}

// outputsGiven reports required outputs that no operation gives, where all that
// could are known.
func (c *compiler) outputsGiven(r *plan.Resource) {
	if r.Create == nil {
		return
	}
	created, at := c.yields(r.Create, r.Spec.Create)
	known, by := []*spec.Type{created}, r.Create
	if r.Read != nil {
		var seen *spec.Type
		seen, at = c.yields(r.Read, r.Spec.Read)
		known, by = append(known, seen), r.Read
	}
	if slices.Contains(known, nil) {
		return
	}
	for _, p := range r.Spec.Outputs.Fields {
		gives := func(t *spec.Type) bool { return t.Field(p.Name) != nil }
		if p.Required && !slices.ContainsFunc(known, gives) && !r.Create.MeansTo(p.Name) && !r.Read.MeansTo(p.Name) {
			c.fail(codeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("nothing gives output %q", p.Name),
				fmt.Sprintf("No operation yields it (%s). Return it, or make it optional: `%s?:`.", at, p.Name)+c.remedyWire(by, plan.Last(known), p))
		}
	}
}
