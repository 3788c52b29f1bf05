package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
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

// wanting notes what templates refer to, at the steps that yield it.
type wanting struct{ named map[string]*step }

// step notes what a step's templates refer to: before are the steps before it,
// own those and itself.
func (w wanting) step(before, own []*step, s *step) {
	each := w.over(before, s.forEach)
	for _, v := range s.templates() {
		w.note(before, each, v)
	}
	for _, v := range s.ownTemplates() {
		w.note(own, each, v)
	}
}

// over is what the elements of a loop are members of, where that is a plain
// member of a result: then only what is wanted of the elements is wanted of it.
func (w wanting) over(before []*step, forEach *expr.Value) []string {
	if forEach == nil {
		return nil
	}
	if pieces := forEach.Segments(); len(pieces) == 1 && pieces[0].Ref != nil {
		return append(slices.Clone(pieces[0].Ref), "*")
	}
	w.note(before, nil, forEach)
	return nil
}

// note notes what a template refers to, where `result` is that of the last of
// the steps, and each.value an element of each.
func (w wanting) note(before []*step, each []string, v *expr.Value) {
	if v == nil {
		return
	}
	for _, ref := range v.Refs() {
		path := ref.Path
		if len(path) > 1 && path[0] == "each" && path[1] == "value" && each != nil {
			path = append(slices.Clone(each), path[2:]...)
		}
		if of, member := w.of(before, path); of != nil {
			of.want(member)
		}
	}
}

// of is the step whose result a path is about, and the path within it.
func (w wanting) of(before []*step, path []string) (*step, []string) {
	var of *step
	switch {
	case path[0] == "result" && len(before) > 0:
		of, path = before[len(before)-1], path[1:]
	case path[0] == "steps" && len(path) > 1:
		of, path = w.named[path[1]], path[2:]
	case len(before) > 0 && slices.ContainsFunc(shorthands(before[len(before)-1]), func(n expr.Name) bool { return n.Name == path[0] }):
		of = before[len(before)-1]
	}
	if of != nil && of.forEach != nil && len(path) > 0 {
		path = path[1:] // the index or key
	}
	return of, path
}

// want notes that a member of the result is referred to: whole, or, with a
// dotted name, a member of it or of its elements.
func (s *step) want(path []string) {
	if len(path) == 0 {
		s.wantsAll = true
		return
	}
	s.wants[path[0]] = true
	inner := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "*" })
	if len(inner) > 1 {
		s.wants[inner[0]+"."+inner[1]] = true
	} else {
		s.wants[path[0]+".*"] = true // whatever it has
	}
}

// needs reports whether a member of the result is referred to.
func (s *step) needs(member string) bool {
	of, _, dotted := strings.Cut(member, ".")
	return s.wantsAll || s.wants[member] || dotted && s.wants[of+".*"]
}

// templates are those evaluated before the step runs.
func (s *step) templates() []*expr.Value {
	out := []*expr.Value{s.when, s.lock, s.every, s.timeout}
	for _, a := range s.args {
		out = append(out, a.value)
	}
	return out
}

// ownTemplates are those evaluated with the step's own result.
func (s *step) ownTemplates() []*expr.Value {
	out := []*expr.Value{s.until, s.refused, s.fail, s.progress, s.gone}
	if s.retry != nil {
		out = append(out, s.retry.when)
	}
	return out
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
