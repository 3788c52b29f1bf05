// Package run creates, reads, updates and deletes resources: it runs the steps of their
// operations, keeps in the journal what was sent, and settles what earlier runs left open.
//
// A Runtime is a configured program; its methods are the operations on resources (resource.go,
// update.go). A Run is one execution of an operation: steps.go runs its
// steps, sending.go sends a step with an effect under an intent, find.go and proof.go tell
// whether something that is there is the resource's own, undo.go and aftermath.go deal with a
// create that stopped.
package run

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Run is one execution of an operation: the scope of its templates, the results of its
// steps, and what is known of their effect.
type Run struct {
	rt        *Runtime
	res       *plan.Resource
	Operation *plan.Operation
	Verb      plan.Verb
	ref       recorded.Ref
	Log       runLog
	env       *actions.Env
	scope.Scope
	// results are the results of the finished steps, by index.
	results []any
	// effected is true if a step has changed something, or may have.
	effected bool
	// touched are the steps with an effect that ran, in order: undo goes through them.
	touched []*touched
	// Undoing is true while steps are undone.
	Undoing bool
	// cut are the steps that did not read all pages of a list.
	cut []int
	// missed is true if a step of an undo or a delete did not find its object.
	missed bool
	// ran is true if a step ran: its `if` did not leave it out.
	ran bool
	// finished are the steps that an earlier run has done, by index; their results are
	// recorded.
	finished map[int]bool
	// resumed is true if the run continues an earlier one.
	resumed bool
	// unmade are the names of the create's steps that have made nothing, as the recorded
	// state has them.
	unmade []string
	// remakes is true if the object itself was undone and is created again.
	remakes bool
	// goesOn is the forEach step that the run is at, or at which an earlier run stopped.
	goesOn *plan.Step
	// elements are the results of goesOn so far, by the key of the element.
	elements map[string]any
	// turns are the keys of the elements that a forEach has done, or may have, by step.
	turns map[int][]string
	// at is the key of the current element of a forEach, "" outside of one.
	at string
	// SecretNames are the wire names of secret properties.
	SecretNames []string
	// given are the inputs of a create or an update.
	given property.Map
	// hash is the hash of given, "" until inputsHash makes it.
	hash string
	// token is the token of the create that made the resource: see Private.
	token string
	// before are the recorded inputs, if the operation has a state.
	before property.Map
	// sending is the step that is being sent, nil if that has no intent.
	sending *sending
	// looked is true if find found nothing before the first step was sent.
	looked bool
	// begun are the intents that this run wrote and did not remove.
	begun []journal.Intent
	// intents is the part of the journal that is about the resource, nil until book
	// opens it.
	intents *journal.Resource
	// ETag is the ETag of the resource in the last response about it.
	ETag string
	// Limit is the maximum number of items of a list, 0 for all.
	Limit int
	// failed is the index of the step that failed.
	failed int
	id     string
	// preview is true if nothing may be changed.
	preview bool
	// until is the index of the step before which the run pauses, 0 for none.
	until int
	// unfit is the error of an attempt that succeeded with a response that does not match
	// its declared type.
	unfit error
	// misfits are the steps that succeeded, here or in an earlier run, with responses that
	// do not match their declared types.
	misfits map[int]bool
	// untold is true if an update succeeded, and neither its responses nor find returned
	// the id that the resource has now.
	untold bool
}

// New returns a run of an operation of a resource. res is nil if the operation belongs to no
// resource, and log is nil if nothing is to be logged.
func (rt *Runtime) New(ctx context.Context, res *plan.Resource, op *plan.Operation, v plan.Verb, ref recorded.Ref, log Log) *Run {
	r := &Run{rt: rt, res: res, Operation: op, Verb: v, ref: ref, Scope: rt.Scope(ctx, ref)}
	if log == nil {
		log = Silent{}
	}
	r.Log = runLog{To: log, run: r}
	if res != nil {
		r.Naming, r.SecretNames = res.Naming, res.SecretNames
	}
	return r
}

// Scope returns the scope that the templates of every operation start with.
func (rt *Runtime) Scope(ctx context.Context, ref recorded.Ref) scope.Scope {
	const names = 14 // the most that an operation has: the map need not grow
	values := make(map[string]any, names)
	values["config"], values["session"], values["resource"] = rt.Config, rt.session, resourceValue(ref)
	secrets := &value.Secrets{}
	secrets.Paths = append(secrets.Paths, rt.ConfigSecrets.Paths...)
	secrets.Values = append(secrets.Values, rt.ConfigSecrets.Values...)
	return scope.New(ctx, values, secrets, rt.program, rt.hides)
}

// Vars returns the variables of a template that belongs to no operation.
func (rt *Runtime) Vars(ctx context.Context, values map[string]any) *expr.Vars {
	return scope.New(ctx, values, nil, rt.program, rt.hides).Vars
}

// resourceValue returns the `resource` of templates.
func resourceValue(ref recorded.Ref) map[string]any {
	v := map[string]any{"type": ref.Type, "name": nil}
	if ref.Name != "" {
		v["name"] = ref.Name
	}
	return v
}

// SetInputs puts the checked inputs into scope.
func (r *Run) SetInputs(values property.Map) { r.SetObject("inputs", r.res.Inputs, values) }

// SetState puts the recorded inputs and outputs into scope as `state`.
func (r *Run) SetState(s recorded.State) { r.stateWith(s, recorded.WithDefaults(r.res, s)) }

// stateWith is SetState with recorded inputs that were filled already.
func (r *Run) stateWith(s recorded.State, inputs property.Map) {
	if s.Private.Failed != nil && inputs.Len() > 0 {
		// After a failed update the outputs may echo inputs that were not applied.
		s.Outputs = property.NewMap(recorded.DeclaredOutputs(r.res, s))
	}
	r.before = s.Inputs
	both := make(map[string]any, max(inputs.Len(), s.Outputs.Len()))
	r.res.Inputs.PlainInto(both, inputs, value.PathTo("state"), r.Secrets)
	r.res.Outputs.PlainInto(both, s.Outputs, value.PathTo("state"), r.Secrets)
	r.Vars.Values["state"] = both
	r.unmade = strings.Fields(s.Private.Unmade)
	r.tellMade()
}

// recall puts the recorded state into scope: its inputs as `inputs`, all of it as `state`, and
// its id. It is for operations without inputs of their own.
func (r *Run) recall(s recorded.State) {
	filled := recorded.WithDefaults(r.res, s)
	r.SetInputs(filled)
	r.stateWith(s, filled)
	r.TakeID(recorded.CurrentID(s))
}

// record keeps the result of a finished step and puts it into scope.
func (r *Run) record(s *plan.Step, value any) {
	for len(r.results) <= s.Index {
		r.results = append(r.results, nil)
	}
	r.results[s.Index] = value
	r.SetResult(s, value)
}

// Open opens the files, commands and origins that the run may use.
func (r *Run) Open() (err error) {
	r.env, err = r.rt.Permits.Open(r.Vars)
	return r.Mask().Error(err)
}

// withTimeout returns a context that ends after the limit; 0 is no limit.
func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than the %s that it was given: %w", limit, context.DeadlineExceeded))
}

// OpenAs puts the arguments of a method into scope and opens what the method may use. The
// `inputs` in the permissions are those of the resource, and the arguments that have no name
// in common with them: a method may use what its resource may, and no argument widens it.
func (r *Run) OpenAs(s recorded.State, f *plan.Function, args property.Map) error {
	r.SetObject("inputs", f.Inputs, args)
	own := r.Vars.Values["inputs"]
	granting, _ := own.(map[string]any)
	granting = maps.Clone(granting)
	if granting == nil {
		granting = map[string]any{}
	}
	maps.Copy(granting, r.res.Inputs.PlainMap(s.Inputs, []string{"inputs"}, &value.Secrets{}))
	r.Vars.Values["inputs"] = granting
	err := r.Open()
	r.Vars.Values["inputs"] = own
	return err
}
