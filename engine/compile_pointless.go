package engine

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// pointless warns of what is well-formed and cannot do what it is there for.
func (c *compiler) pointless(r *resource) {
	c.indifferentFind(r)
	c.alwaysRefused(r, r.update, "update")
	c.alwaysRefused(r, r.delete, "delete")
}

// indifferentFind warns of a `find` that gives the same whatever the inputs are: what it
// finds first may be any other object, and is taken for the one that was made. An object
// whose id depends on nothing is the only one, and needs no looking for.
func (c *compiler) indifferentFind(r *resource) {
	if r.find == nil || r.find.stepless() || r.find.broken || r.id == nil || !asks(r.id, slices.Concat([]string{"inputs", "resource", "steps"}, answerNames)) {
		return
	}
	values := []*expr.Value{r.find.ret}
	for _, s := range r.find.steps {
		if s.effect == actions.Write {
			return // which was reported
		}
		values = append(append(values, s.templates()...), s.ownTemplates()...)
		for _, a := range s.args {
			for _, p := range a.parts.all() {
				values = append(values, p.value)
			}
		}
	}
	if slices.ContainsFunc(values, func(v *expr.Value) bool { return asks(v, []string{"inputs", "resource"}) }) {
		return
	}
	at := last(r.find.steps).at
	if r.find.ret != nil {
		at = r.spec.Find.Return.Range
	}
	c.warn(codeFindAny, at, "find", fmt.Sprintf("find of %s gives the same whatever the inputs are", r.spec.Name),
		"What it gives is taken for the object, so it may be somebody else's. Look for what tells this one from others, as in `\"${find(body, #.name == inputs.name)}\"` or `path: \"/things/${inputs.name}\"`.")
}

// asks reports whether a template refers to any of some names.
func asks(v *expr.Value, names []string) bool {
	return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool { return slices.Contains(names, ref.Path[0]) })
}

// alwaysRefused warns of `ifNoneMatch: true` where the object is there already: in a
// PATCH or DELETE, and where the path is one that read has, or delete.
func (c *compiler) alwaysRefused(r *resource, op *operation, verb string) {
	if op == nil {
		return
	}
	for _, s := range op.steps {
		none, ok := s.args["ifNoneMatch"]
		if !ok || none.node == nil || none.node.Kind != spec.BoolNode || none.node.Text != "true" || s.effect != actions.Write {
			continue
		}
		method := ""
		if m := s.args["method"]; m.node != nil {
			method = m.node.Text
		}
		if method == "PATCH" || method == "DELETE" || samePath(s, r.read) || samePath(s, r.delete) {
			c.warn(codeAlwaysRefused, none.node.Range, verb+".ifNoneMatch", fmt.Sprintf("%s sends this only if nothing is there, and the object is", verb),
				"So the server refuses it always. Leave `ifNoneMatch` to create; here `ifMatch` sends a request only if nobody else has changed the object.")
		}
	}
}

// samePath reports whether a step has the path of one of an operation's, as it is
// written.
func samePath(s *step, op *operation) bool {
	path := s.args["path"].node
	return path != nil && op != nil && slices.ContainsFunc(op.steps, func(other *step) bool {
		n := other.args["path"].node
		return other != s && n != nil && n.Kind == spec.StringNode && n.Text == path.Text
	})
}
