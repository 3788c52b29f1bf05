package operation

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

// refuseAhead returns an error if a step of the operation lacks a permission. It is called before
// the first step, so that nothing is half done. What depends on the responses of steps is not
// known yet, and is checked when those steps run.
func (r *Run) refuseAhead(ctx context.Context) error {
	if !r.Operation.MayEndHalfway() {
		return nil
	}
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	defer r.HideResponses()()
	for i, s := range r.Operation.Steps {
		if r.Finished[i] || r.Until > 0 && i >= r.Until {
			continue
		}
		if found := r.Refusals(s); len(found) > 0 {
			r.Failed = r.firstUnfinished() // where the next run goes on
			return r.Stop(s, 1, actions.Refused, found[0])
		}
	}
	return nil
}

// HideResponses makes unknown what the steps that are still to run will answer, until the
// returned function is called.
func (r *Run) HideResponses() (restore func()) {
	before := r.Vars.Values
	r.Vars.Values = maps.Clone(before)
	for _, name := range plan.NamesOfResponses {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if r.ID != "" {
		r.Vars.Values["id"] = r.ID
	}
	answers := map[string]any{}
	known, _ := before["steps"].(map[string]any)
	for i, s := range r.Operation.Steps {
		if answer, has := known[s.Model.As]; has && r.Finished[i] {
			answers[s.Model.As] = answer
		} else if s.Model.As != "" {
			answers[s.Model.As] = expr.Unknown{}
		}
	}
	r.Vars.Values["steps"] = answers
	return func() { r.Vars.Values = before }
}

// nameDecidingInput makes the error of a step that lacks a permission name the input that
// decides it, as a preview does.
func (r *Run) nameDecidingInput(s *plan.Step, err error) {
	var failed *StepError
	if !errors.As(err, &failed) || failed.Status != actions.Refused {
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

// refuseStep returns an error if a step of a preview lacks a permission.
func (r *Run) refuseStep(ctx context.Context, s *plan.Step) error {
	if len(s.Requests) == 0 {
		return nil
	}
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	if found := r.Refusals(s); len(found) > 0 {
		return r.Stop(s, 1, actions.Refused, found[0])
	}
	return nil
}

// Refusals returns the permissions that a step lacks.
func (r *Run) Refusals(s *plan.Step) []*permit.Refusal {
	return r.rt.Permits.Refusals(&r.Scope, r.Env, s)
}
