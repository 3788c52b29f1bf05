package compile

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// finding compiles `find`: the operation that looks for what a create or update
// made whose response was lost. It knows what a create knows before its first
// step.
func (c *compiler) finding(r *plan.Resource) {
	m := r.Spec.Find
	if m == nil {
		return
	}
	c.in("find", "find", func() {
		t := newTrail(c.operationScope(r, plan.Create))
		r.Find = c.steps(m, t, func(int) {})
		if r.Find.Stepless() {
			return
		}
		for _, s := range r.Find.Steps {
			if s.Known && s.Effect == actions.Write {
				c.fail(codeFunctionEffect, s.At, "", fmt.Sprintf("find has an effect: %s", s.Action),
					"It runs before a create is sent, and whenever a response was lost; it only looks. Say `effect: \"none\"` where the action changes nothing.")
			}
			r.Sinks = append(r.Sinks, exposed(s)...)
		}
		r.Find.Return = c.template(m.Return, t.scope, &spec.Type{Nullable: true}, "return")
	})
	w := plan.Wanting{Named: map[string]*plan.Step{}}
	for i, s := range r.Find.Steps {
		w.Step(r.Find.Steps[:i], r.Find.Steps[:i+1], s)
		if s.Model.As != "" {
			w.Named[s.Model.As] = s
		}
	}
	w.Note(r.Find.Steps, nil, r.Find.Return)
	if s := plan.Last(r.Find.Steps); s != nil {
		s.WantsAll = true // it stands in for what a create's step would have answered
	}
}

// findBy are the recorded properties that tell objects of one id apart: what
// delete refers to, and read too, where there is one. An output that delete refers
// to is always one of them.
func findBy(r *plan.Resource) []string {
	if r.Delete == nil {
		return nil
	}
	read := map[string]bool{}
	whole := r.Read == nil
	if r.Read != nil {
		var names []string
		names, whole = r.Read.Recorded(r)
		for _, name := range names {
			read[name] = true
		}
	}
	var out []string
	deleted, _ := r.Delete.Recorded(r)
	for _, name := range deleted {
		if whole || read[name] || r.Outputs.ByName[name] != nil {
			out = append(out, name)
		}
	}
	return out
}
