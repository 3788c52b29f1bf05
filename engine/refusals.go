package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// refuseAhead is the error of an operation that some step would be refused what it needs.
// It comes before the first step, so that nothing is half done; what depends on the
// answers of its steps is left to these.
func (r *run) refuseAhead(ctx context.Context) error {
	if !r.op.MayEndHalfway() {
		return nil
	}
	defer r.EndWith(r.EndWith(scope.BeforeSending(ctx)))
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
	for i, s := range r.op.Steps {
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

// refuseUngranted reports the inputs that make create ask for what is not granted.
// What depends on the answers of its steps waits for the preview.
func (e *Engine) refuseUngranted(res *plan.Resource, ref Ref, inputs property.Map, f *value.Findings) {
	if !slices.ContainsFunc(res.Asking, func(s *plan.Step) bool { return !e.permits.GrantedAsTheyAre(s, inputs) }) {
		return
	}
	r := e.newRun(f.Context, res, res.Create, plan.Create, ref, nil)
	r.inputs(inputs)
	for _, name := range plan.NamesOfAnswers {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if r.open() != nil {
		return // it depends on the grants, and the operation reports it
	}
	for _, s := range res.Asking {
		for _, u := range r.ungranted(s) {
			told := slices.ContainsFunc(f.List, func(other Failure) bool { return other.Path == u.Property })
			if u.Property != "" && !told {
				f.Add(u.Property, "%s", u.Reason)
			}
		}
	}
}

// refuseStep is the error of a step of a preview that would be refused what it needs.
func (r *run) refuseStep(ctx context.Context, s *plan.Step) error {
	if len(s.Asks) == 0 {
		return nil
	}
	defer r.EndWith(r.EndWith(scope.BeforeSending(ctx)))
	if found := r.ungranted(s); len(found) > 0 {
		return r.stop(s, 1, actions.Refused, found[0])
	}
	return nil
}

// ungranted returns what the step needs and is not granted.
func (r *run) ungranted(s *plan.Step) []*permit.Refusal {
	return r.engine.permits.Refusals(&r.Scope, r.env, s)
}
