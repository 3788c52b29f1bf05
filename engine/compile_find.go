package engine

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// finding compiles `find`: the operation that looks for what a create or update
// made whose response was lost. It knows what a create knows before its first
// step.
func (c *compiler) finding(r *resource) {
	m := r.spec.Find
	if m == nil {
		return
	}
	c.in("find", "find", func() {
		t := newTrail(c.operationScope(r, create))
		r.find = c.steps(m, t, func(int) {})
		if r.find.stepless() {
			return
		}
		for _, s := range r.find.steps {
			if s.known && s.effect == actions.Write {
				c.fail(codeFunctionEffect, s.at, "", fmt.Sprintf("find has an effect: %s", s.action),
					"It runs before a create is sent, and whenever a response was lost; it only looks. Say `effect: \"none\"` where the action changes nothing.")
			}
			r.sinks = append(r.sinks, exposed(s)...)
		}
		r.find.ret = c.template(m.Return, t.scope, &spec.Type{Nullable: true}, "return")
	})
	w := wanting{named: map[string]*step{}}
	for i, s := range r.find.steps {
		w.step(r.find.steps[:i], r.find.steps[:i+1], s)
		if s.model.As != "" {
			w.named[s.model.As] = s
		}
	}
	w.note(r.find.steps, nil, r.find.ret)
	if s := last(r.find.steps); s != nil {
		s.wantsAll = true // it stands in for what a create's step would have answered
	}
}

// findBy are the recorded properties that tell objects of one id apart: what
// delete refers to, and read too, where there is one. An output that delete refers
// to is always one of them.
func findBy(r *resource) []string {
	if r.delete == nil {
		return nil
	}
	read := map[string]bool{}
	whole := r.read == nil
	if r.read != nil {
		var names []string
		names, whole = r.read.recorded(r)
		for _, name := range names {
			read[name] = true
		}
	}
	var out []string
	deleted, _ := r.delete.recorded(r)
	for _, name := range deleted {
		if whole || read[name] || r.outputs.ByName[name] != nil {
			out = append(out, name)
		}
	}
	return out
}
