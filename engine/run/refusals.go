package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// vet lets templates rely on what a type requires, and a recorded state may lack it: an
// older spec wrote it, an import did not give it, or the response of a create that has no
// read did not have it. An operation that relies on it is refused before anything is sent.

// IncompleteError reports properties that an operation relies on and the recorded state
// lacks.
type IncompleteError struct {
	// Type is the resource's, What the operation, Properties what is lacking.
	Type, What string
	Properties []string
	// Remedy says what to do.
	Remedy string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("the recorded state of this %s has no %s, which its %s relies on; nothing was done. %s", e.Type, strings.Join(e.Properties, ", no "), e.What, e.Remedy)
}

// RefuseIncomplete returns an *IncompleteError if an operation relies on properties that the
// recorded state lacks. reliesOn reports whether it relies on a property.
func RefuseIncomplete(res *plan.Resource, s State, what plan.Verb, reliesOn func(property string) bool) error {
	var relied []string
	for _, name := range missingProperties(res, s) {
		if reliesOn(name) {
			relied = append(relied, name)
		}
	}
	if relied == nil {
		return nil
	}
	return &IncompleteError{Type: res.Spec.Name, What: string(what), Properties: relied, Remedy: missingRemedy(res, relied[0])}
}

// refuseIncomplete is RefuseIncomplete for an operation of the resource.
func refuseIncomplete(res *plan.Resource, s State, v plan.Verb) error {
	return RefuseIncomplete(res, s, v, func(property string) bool { return res.ReliesOn(v, property) })
}

// missingRemedy returns what adds a missing property to a state.
func missingRemedy(r *plan.Resource, name string) string {
	p := r.Inputs.ByName[name]
	switch {
	case r.Read != nil && (p == nil || !p.NoRead):
		return "Run `pulumi refresh`, which reads it."
	case p != nil:
		return "In the spec, let `import` provide it, or guard the template (`state." + name + " != null`)."
	default:
		return "In the spec, give the resource a `read`, or guard the template (`state." + name + " != null`)."
	}
}

// missingProperties are the properties that a recorded state lacks, whole or in part, and that its
// type requires.
func missingProperties(r *plan.Resource, s State) []string {
	var names []string
	for _, m := range r.Outputs.Fields {
		if m.Required && !r.Unsure[m.Name] && m.Check.Lacks(s.Outputs.Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	for _, m := range r.Inputs.Fields {
		if !plan.CheckedRequired(m.Property) || !m.Check.Lacks(s.Inputs.Get(m.Name)) || slices.Contains(names, m.Name) {
			continue
		}
		if m.Check.Lacks(withDefaults(r, s).Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	return names
}
