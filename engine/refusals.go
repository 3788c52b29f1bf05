package engine

import (
	"context"
	"errors"
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// refuseAhead is the error of an operation that some step would be refused what it needs.
// It comes before the first step, so that nothing is half done; what depends on the
// answers of its steps is left to these.
func (r *run) refuseAhead(ctx context.Context) error {
	if !r.op.MayEndHalfway() {
		return nil
	}
	defer r.evaluateIn(r.evaluateIn(unsent{ctx}))
	defer r.withoutAnswers()()
	first := -1
	for i, s := range r.op.Steps {
		if r.finished[i] || r.until > 0 && i >= r.until {
			continue
		}
		if first < 0 {
			first = i
		}
		if found := r.ungranted(s); len(found) > 0 {
			r.failed = first // where the next run goes on
			return r.stop(s, 1, actions.Refused, found[0])
		}
	}
	return nil
}

// withoutAnswers makes unknown what the steps that are still to run will answer, until the
// returned function is called.
func (r *run) withoutAnswers() (restore func()) {
	before := r.vars.Values
	r.vars.Values = maps.Clone(before)
	for _, name := range plan.NamesOfAnswers {
		r.vars.Values[name] = expr.Unknown{}
	}
	if r.id != "" {
		r.vars.Values["id"] = r.id
	}
	answers := map[string]any{}
	known, _ := before["steps"].(map[string]any)
	for i, s := range r.op.Steps {
		if answer, has := known[s.Model.As]; has && r.finished[i] {
			answers[s.Model.As] = answer
		} else if s.Model.As != "" {
			answers[s.Model.As] = expr.Unknown{}
		}
	}
	r.vars.Values["steps"] = answers
	return func() { r.vars.Values = before }
}

// blame makes the error of a step that was refused for want of a grant name the input
// that decides it, as in a preview.
func (r *run) blame(s *plan.Step, err error) {
	var failed *StepError
	if !errors.As(err, &failed) || failed.status != actions.Refused {
		return
	}
	var file *files.PermissionError
	var host *network.HostError
	var program *process.ProgramError
	if !errors.As(failed.Err, &file) && !errors.As(failed.Err, &host) && !errors.As(failed.Err, &program) {
		return
	}
	if found := r.ungranted(s); len(found) > 0 {
		failed.Err = found[0]
	}
}
