package engine

import (
	"fmt"
	"slices"
	"strings"

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
func (c *compiler) want(r *resource, op *operation, v verb) {
	if op == nil || len(op.steps) == 0 {
		return
	}
	w := wanting{named: map[string]*step{}}
	for i, s := range op.steps {
		w.step(op.steps[:i], op.steps[:i+1], s)
		for _, u := range s.undo {
			w.step(op.steps[:i+1], op.steps[:i+1], u)
		}
		if s.model.As != "" {
			w.named[s.model.As] = s
		}
		for _, exposing := range append([]*step{s}, s.undo...) {
			r.sinks = append(r.sinks, exposed(exposing)...)
		}
	}
	w.note(op.steps, nil, r.id)
	if op.ret != nil {
		w.note(op.steps, nil, op.ret)
		return
	}
	// The last step's own result is projected by name.
	last := op.steps[len(op.steps)-1]
	if last.yield != "" {
		last.want([]string{last.yield})
		return
	}
	for _, p := range r.spec.Outputs.Fields {
		last.wants[p.Name] = true
	}
	if v == read {
		for _, p := range r.spec.Inputs.Fields {
			last.wants[p.Name] = true
		}
	}
}

// readBack reports inputs that read does not give, where the result's type is
// known: without @noRead they would look unset at each refresh.
func (c *compiler) readBack(r *resource) {
	yields, at := c.yields(r.read, r.spec.Read)
	if yields == nil || r.id == nil {
		return // or the id, which may give inputs, is broken
	}
	for _, p := range r.spec.Inputs.Fields {
		if yields.Field(p.Name) != nil || p.NoRead || p.Ephemeral || r.identity.byID(p.Name) || r.read.meansTo(p.Name) {
			continue
		}
		c.fail(codeNotReadBack, p.Range, "inputs."+p.Name, fmt.Sprintf("read does not give input %q", p.Name),
			fmt.Sprintf("What read yields (%s) has: %s. Return it, or say that the world does not give it back: @noRead().",
				at, strings.Join(yields.FieldNames(), ", "))+c.remedyWire(r.read, yields, p))
	}
}

// yields is the closed object that an operation is known to yield, and where
// that stands; nil where it is not known.
func (c *compiler) yields(op *operation, m *spec.Operation) (*spec.Type, diag.Range) {
	if op == nil || op.stepless() || op.broken {
		return nil, diag.Range{}
	}
	t, at := last(op.steps).yields(), m.Range
	if op.ret != nil {
		t = op.ret.Type()
	}
	if t = c.spec.Types.Resolve(t); t.Kind != spec.Object || t.Open {
		return nil, at
	}
	return t, at
}

// lifecycle reports what a resource cannot do for want of an operation.
func (c *compiler) lifecycle(r *resource) {
	m := r.spec
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
func (c *compiler) outputsGiven(r *resource) {
	if r.create == nil {
		return
	}
	created, at := c.yields(r.create, r.spec.Create)
	known, by := []*spec.Type{created}, r.create
	if r.read != nil {
		var seen *spec.Type
		seen, at = c.yields(r.read, r.spec.Read)
		known, by = append(known, seen), r.read
	}
	if slices.Contains(known, nil) {
		return
	}
	for _, p := range r.spec.Outputs.Fields {
		gives := func(t *spec.Type) bool { return t.Field(p.Name) != nil }
		if p.Required && !slices.ContainsFunc(known, gives) && !r.create.meansTo(p.Name) && !r.read.meansTo(p.Name) {
			c.fail(codeOutputNotGiven, p.Range, "outputs."+p.Name, fmt.Sprintf("nothing gives output %q", p.Name),
				fmt.Sprintf("No operation yields it (%s). Return it, or make it optional: `%s?:`.", at, p.Name)+c.remedyWire(by, last(known), p))
		}
	}
}
