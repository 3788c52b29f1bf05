package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// run is one execution of an operation: what its templates see, what its steps
// have yielded, and what is known of their effect.
type run struct {
	engine *Engine
	res    *plan.Resource
	op     *plan.Operation
	verb   plan.Verb
	ref    Ref
	log    runLog
	env    *actions.Env
	scope.Scope
	// results are those of the finished steps, by index.
	results []any
	// effected says that something in the world has changed, or may have.
	effected bool
	// touched are the steps with an effect that ran, for undo; undoing says that
	// they are being undone.
	touched []*touched
	undoing bool
	// cut are the steps that have read less than there is.
	cut []int
	// missed says that a step of an undo or a delete did not find what it was about.
	missed bool
	// ran says that an undo step was run, and not left out by its `if`.
	ran bool
	// finished are the steps that an earlier run has done, and whose results are
	// recorded; resumed says that there was one. Of the step goesOn, elements are
	// the results by element that are there already.
	finished map[int]bool
	resumed  bool
	// unanswered are the steps of which nobody knows whether they were undone.
	unanswered []int
	// unmade are the create's steps that have made nothing, by the recorded state.
	unmade []string
	// remakes says that the object itself was undone, and is made anew.
	remakes  bool
	goesOn   *plan.Step
	elements map[string]any
	// turns are the keys of the elements that a forEach has done, or may have, by step.
	turns map[int][]string
	// at is the key of the element that a forEach is at, "" outside of one.
	at string
	// secretNames are the names on the wire of what is kept secret.
	secretNames []string
	// given are the inputs that a create or update is run with, and hash theirs:
	// see inputsHash. token is that of the create: see Private.
	given property.Map
	hash  string
	token string
	// before are the recorded inputs, of an operation that has a state.
	before property.Map
	// key is the idempotency key of the step that runs, sending its intent; nil
	// where it has none.
	key     string
	sending *journal.Intent
	// looked says that find found nothing before anything was sent.
	looked bool
	// left are the intents of the resource that earlier runs left, once they have
	// been asked for; intents are those that this run began and did not settle.
	left    *[]journal.Intent
	intents []journal.Intent
	// etag is that of the last read of the resource; limit is how many items of
	// a list are wanted, 0 for all.
	etag    string
	limit   int
	failed  int // index of the step that failed
	id      string
	preview bool
	// until is the index of the step before which the run pauses, 0 for none.
	until int
	// unfit is the error of an attempt that was done, and whose response does not fit.
	unfit error
	// misfits are the steps that were done, here or in an earlier run, and whose
	// responses are not of the types that they declare.
	misfits map[int]bool
	// untold says that an update was done, and that neither its responses nor find
	// told the id that the resource has now.
	untold bool
}

// newRun prepares an operation of a resource. values are the names of its
// scope beside config and resource.
func (e *Engine) newRun(ctx context.Context, res *plan.Resource, op *plan.Operation, v plan.Verb, ref Ref, log Log) *run {
	r := &run{engine: e, res: res, op: op, verb: v, ref: ref, Scope: e.scopeOf(ctx, ref)}
	if log == nil {
		log = silent{}
	}
	r.log = runLog{to: log, run: r}
	if res != nil {
		r.Naming, r.secretNames = res.Naming, res.SecretNames
	}
	return r
}

// scopeOf is what the templates of every operation see.
func (e *Engine) scopeOf(ctx context.Context, ref Ref) scope.Scope {
	const names = 14 // no operation has more; it would grow twice on its way to them
	values := make(map[string]any, names)
	values["config"], values["session"], values["resource"] = e.plainConfig, e.session, resourceValue(ref)
	secrets := &value.Secrets{}
	secrets.Paths = append(secrets.Paths, e.configSecrets.Paths...)
	secrets.Values = append(secrets.Values, e.configSecrets.Values...)
	return scope.New(ctx, values, secrets, e.program.Program, e.hides)
}

// vars are what a template sees that belongs to no operation.
func (e *Engine) vars(ctx context.Context, values map[string]any) *expr.Vars {
	return scope.New(ctx, values, nil, e.program.Program, e.hides).Vars
}

func resourceValue(ref Ref) map[string]any {
	v := map[string]any{"type": ref.Type, "name": nil}
	if ref.Name != "" {
		v["name"] = ref.Name
	}
	return v
}

// silent is the log of those who want none.
type silent struct{}

func (silent) Message(Severity, screen.Text) {}
func (silent) Status(screen.Text)            {}

// runLog is where a run says what it has to say: fit to be shown, and without the
// secrets that the run has seen so far.
type runLog struct {
	to  Log
	run *run
}

// Message is kept. One that is long, such as what a command writes, becomes several.
func (l runLog) Message(severity Severity, text string) {
	for _, part := range screen.Parts(text, l.run.Mask()) {
		l.to.Message(severity, part)
	}
}

// Status is shown live, and replaced by the next one.
func (l runLog) Status(text string) { l.to.Status(screen.Show(text, l.run.Mask()).Line()) }

// inputs puts the checked inputs into scope.
func (r *run) inputs(values property.Map) { r.SetObject("inputs", r.res.Inputs, values) }

// state puts what is recorded into scope: inputs and outputs, by name.
func (r *run) state(s State) { r.stateWith(s, filled(r.res, s)) }

// stateWith is state, where what the inputs are filled to is known already.
func (r *run) stateWith(s State, inputs property.Map) {
	if s.Private.Failed != nil && inputs.Len() > 0 {
		// After a failed update the outputs echo inputs that may not hold.
		s.Outputs = property.NewMap(declared(r.res, s))
	}
	r.before = s.Inputs
	both := make(map[string]any, max(inputs.Len(), s.Outputs.Len()))
	r.res.Inputs.PlainInto(both, inputs, value.PathTo("state"), r.Secrets)
	r.res.Outputs.PlainInto(both, s.Outputs, value.PathTo("state"), r.Secrets)
	r.Vars.Values["state"] = both
	r.unmade = strings.Fields(s.Private.Unmade)
	r.tellMade()
}

// recall puts what is recorded into scope as the inputs and the state of an
// operation that has no others, and the id.
func (r *run) recall(s State) {
	filled := filled(r.res, s)
	r.inputs(filled)
	r.stateWith(s, filled)
	r.takeID(currentID(s))
}

// takeID puts the current id into scope.
func (r *run) takeID(id string) {
	r.id = id
	r.Vars.Values["id"] = id
}

// record puts a finished step's result into scope.
func (r *run) record(s *plan.Step, value any) {
	for len(r.results) <= s.Index {
		r.results = append(r.results, nil)
	}
	r.results[s.Index] = value
	r.SetResult(s, value)
}

// evalID evaluates the id in the run's scope: "" where it is not known, or null.
func (r *run) evalID() (string, error) {
	if r.res.ID == nil {
		return "", nil
	}
	id, err := r.PublicText(r.res.ID, "it")
	switch {
	case errors.Is(err, scope.ErrNotKnown):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the id of %s cannot be told: %w", r.res.Spec.Name, err)
	}
	if err := value.RecordableID(id, "the id of "+r.res.Spec.Name); err != nil {
		return "", err
	}
	return id, nil
}

// open prepares what this run may use.
func (r *run) open() (err error) {
	r.env, err = r.engine.permits.Open(r.Vars)
	return r.Mask().Error(err)
}

var (
	// errGone says that the thing a resource stands for is not there, as its
	// spec defines it: a `gone` that is true, a `return` that is null.
	errGone = errors.New("it is gone")
	// errNotFound is an action's answer that what it looked for is not there.
	errNotFound = errors.New("not found")
)
