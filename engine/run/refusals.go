package run

import (
	"context"
	"errors"
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/expr"
)

// refuseAhead is the error of an operation that some step would be refused what it needs.
// It comes before the first step, so that nothing is half done; what depends on the
// answers of its steps is left to these.
func (r *Run) refuseAhead(ctx context.Context) error {
	if !r.Operation.MayEndHalfway() {
		return nil
	}
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	defer r.hideResponses()()
	first := -1
	for i, s := range r.Operation.Steps {
		if r.finished[i] || r.until > 0 && i >= r.until {
			continue
		}
		if first < 0 {
			first = i
		}
		if found := r.Refusals(s); len(found) > 0 {
			r.failed = first // where the next run goes on
			return r.stop(s, 1, actions.Refused, found[0])
		}
	}
	return nil
}

// hideResponses makes unknown what the steps that are still to run will answer, until the
// returned function is called.
func (r *Run) hideResponses() (restore func()) {
	before := r.Vars.Values
	r.Vars.Values = maps.Clone(before)
	for _, name := range plan.NamesOfAnswers {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if r.id != "" {
		r.Vars.Values["id"] = r.id
	}
	answers := map[string]any{}
	known, _ := before["steps"].(map[string]any)
	for i, s := range r.Operation.Steps {
		if answer, has := known[s.Model.As]; has && r.finished[i] {
			answers[s.Model.As] = answer
		} else if s.Model.As != "" {
			answers[s.Model.As] = expr.Unknown{}
		}
	}
	r.Vars.Values["steps"] = answers
	return func() { r.Vars.Values = before }
}

// blame makes the error of a step that was refused for want of a grant name the input
// that decides it, as in a preview.
func (r *Run) blame(s *plan.Step, err error) {
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
	if found := r.Refusals(s); len(found) > 0 {
		failed.Err = found[0]
	}
}

// refuseStep is the error of a step of a preview that would be refused what it needs.
func (r *Run) refuseStep(ctx context.Context, s *plan.Step) error {
	if len(s.Requests) == 0 {
		return nil
	}
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	if found := r.Refusals(s); len(found) > 0 {
		return r.stop(s, 1, actions.Refused, found[0])
	}
	return nil
}

// ungranted returns what the step needs and is not granted.
func (r *Run) Refusals(s *plan.Step) []*permit.Refusal {
	return r.rt.Permits.Refusals(&r.Scope, r.env, s)
}
