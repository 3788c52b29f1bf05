package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// finding compiles `find`: the operation that looks for what a create made whose
// answer was lost. It knows what a create knows before its first step.
func (c *compiler) finding(r *resource) {
	m := r.spec.Find
	if m == nil {
		return
	}
	c.in("find", "find", func() {
		t := newTrail(c.operationScope(r, create))
		r.find = c.steps(m, t, func(int) {})
		for _, s := range r.find.steps {
			if s.known && s.effect == actions.Write {
				c.fail(codeFunctionEffect, s.at, "", fmt.Sprintf("find has an effect: %s", s.action),
					"It runs whenever an answer was lost, and only looks. Say `effect: \"none\"` where the action changes nothing.")
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

// find runs the resource's `find`: what an earlier create left, as the step
// itself would have answered, or nil where there is nothing.
func (r *run) find(ctx context.Context, s *step) (any, error) {
	finder := *r
	finder.verb, finder.op, finder.results = "find", r.res.find, nil
	// Names of the create's steps are none of find's, and the other way round.
	values := maps.Clone(r.vars.Values)
	for _, name := range append([]string{"steps", "id"}, answerNames...) {
		delete(values, name)
	}
	finder.vars = &expr.Vars{Values: values}
	err := finder.steps(ctx, 0)
	switch {
	case errors.Is(err, errGone), errors.Is(err, errNotFound) && finder.failed == 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return finder.adopted(s)
}

// adopted is what find found, in the place of a step's own answer: of an http
// step, a `return` is the body.
func (r *run) adopted(s *step) (any, error) {
	by := last(r.op.steps)
	answer, from := r.vars.Values["result"], by.yields()
	if r.op.ret != nil {
		found, err := r.eval(r.op.ret)
		if err != nil {
			return nil, r.stop(by, 1, actions.Refused, fmt.Errorf("return: %w", err))
		}
		answer, from = s.answering(answer, found), r.op.ret.Type()
	}
	if answer == nil {
		return nil, nil
	}
	if t := r.res.types.Resolve(from); t.Kind == spec.Any {
		answer = s.arrived(answer) // else it has its declared names already
	}
	return answer, nil
}

// answering is a result of the step that yields a value, with the rest of it from
// another answer; nil where the value is.
func (s *step) answering(other, value any) any {
	if value == nil || s.yield == "" {
		return value
	}
	members, _ := other.(map[string]any)
	out := map[string]any{}
	for _, p := range s.result.Fields {
		out[p.Name] = members[p.Name]
	}
	out[s.yield] = value
	return out
}
