package compile

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// pointless warns of what is well-formed and cannot do what it is there for.
func (c *compiler) pointless(r *plan.Resource) {
	c.indifferentFind(r)
	c.alwaysRefused(r, r.Update, "update")
	c.alwaysRefused(r, r.Delete, "delete")
}

// indifferentFind warns of a `find` that gives the same whatever the inputs are: what it
// finds first may be any other object, and is taken for the one that was made. An object
// whose id depends on nothing is the only one, and needs no looking for.
func (c *compiler) indifferentFind(r *plan.Resource) {
	if r.Find == nil || r.Find.Stepless() || r.Find.Broken || r.ID == nil || !asks(r.ID, slices.Concat([]string{"inputs", "resource", "steps"}, plan.AnswerNames)) {
		return
	}
	values := []*expr.Value{r.Find.Return}
	for _, s := range r.Find.Steps {
		if s.Effect == actions.Write {
			return // which was reported
		}
		values = append(append(values, s.Templates()...), s.OwnTemplates()...)
		for _, a := range s.Args {
			for _, p := range a.Parts.All() {
				values = append(values, p.Value)
			}
		}
	}
	if slices.ContainsFunc(values, func(v *expr.Value) bool { return asks(v, []string{"inputs", "resource"}) }) {
		return
	}
	at := plan.Last(r.Find.Steps).At
	if r.Find.Return != nil {
		at = r.Spec.Find.Return.Range
	}
	c.warn(codeFindAny, at, "find", fmt.Sprintf("find of %s gives the same whatever the inputs are", r.Spec.Name),
		"What it gives is taken for the object, so it may be somebody else's. Look for what tells this one from others, as in `\"${find(body, #.name == inputs.name)}\"` or `path: \"/things/${inputs.name}\"`.")
}

// asks reports whether a template refers to any of some names.
func asks(v *expr.Value, names []string) bool {
	return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool { return slices.Contains(names, ref.Path[0]) })
}

// alwaysRefused warns of `ifNoneMatch: true` where the object is there already: in a
// PATCH or DELETE, and where the path is one that read has, or delete.
func (c *compiler) alwaysRefused(r *plan.Resource, op *plan.Operation, verb string) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		none, ok := s.Args["ifNoneMatch"]
		if !ok || none.Node == nil || none.Node.Kind != spec.BoolNode || none.Node.Text != "true" || s.Effect != actions.Write {
			continue
		}
		method := ""
		if m := s.Args["method"]; m.Node != nil {
			method = m.Node.Text
		}
		if method == "PATCH" || method == "DELETE" || samePath(s, r.Read) || samePath(s, r.Delete) {
			c.warn(codeAlwaysRefused, none.Node.Range, verb+".ifNoneMatch", fmt.Sprintf("%s sends this only if nothing is there, and the object is", verb),
				"So the server refuses it always. Leave `ifNoneMatch` to create; here `ifMatch` sends a request only if nobody else has changed the object.")
		}
	}
}

// samePath reports whether a step has the path of one of an operation's, as it is
// written.
func samePath(s *plan.Step, op *plan.Operation) bool {
	path := s.Args["path"].Node
	return path != nil && op != nil && slices.ContainsFunc(op.Steps, func(other *plan.Step) bool {
		n := other.Args["path"].Node
		return other != s && n != nil && n.Kind == spec.StringNode && n.Text == path.Text
	})
}
