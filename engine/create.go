package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/expr"
)

// Create makes a resource. The result has a state without an error when it
// worked; an error without a state when nothing is left of the attempt; and both
// when something was made and is not as it should be: the next run goes on from
// there.
func (e *Engine) Create(ctx context.Context, req CreateRequest) Result {
	res, err := e.program.resource(req.Type)
	if err != nil {
		return Result{Err: err}
	}
	r := e.newRun(res, res.create, create, req.Ref, req.Log)
	r.preview = req.Preview
	r.inputs(req.Inputs)
	r.created = req.Inputs
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	if req.Preview {
		return r.previewed(ctx, State{Inputs: req.Inputs})
	}
	r.token = e.tokens.next()
	out := e.finishCreate(ctx, r, req.Ref, req.Inputs, 0)
	if out.State != nil {
		e.tokens.show(res.object(*out.State), r.token)
	}
	return out
}

// withTimeout bounds a call; 0 is no bound.
func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than the %s that it was given: %w", limit, context.DeadlineExceeded))
}

// finishCreate runs a create from its step first on, and makes the state of
// whatever comes of it.
func (e *Engine) finishCreate(ctx context.Context, r *run, ref Ref, inputs property.Map, first int) Result {
	err := r.steps(ctx, first)
	if err != nil {
		return e.failedCreate(ctx, r, ref, inputs, err)
	}
	if r.id == "" {
		r.failed = len(r.op.steps)
		return e.failedCreate(ctx, r, ref, inputs, fmt.Errorf("%s has no id: `id` yields nothing after create", r.res.spec.Name))
	}
	outputs, err := e.outputs(ctx, r, ref, inputs, nil)
	state := r.newState(inputs, outputs)
	if err != nil {
		state.Private.Failed = r.unfinished(inputs, len(r.op.steps), err)
	}
	return Result{State: state, Err: r.mask().error(err)}
}

// newState is the state of a resource that the run has made or changed.
func (r *run) newState(inputs property.Map, outputs map[string]property.Value) *State {
	return &State{
		ID: r.id, Inputs: inputs, Outputs: withInputs(inputs, outputs),
		Private: Private{SchemaVersion: r.res.spec.SchemaVersion, Token: r.token, ETag: r.etag},
	}
}

// withInputs are the outputs as a host shows them: the inputs, and what the
// world gave. What stands in the place of a secret input is secret.
func withInputs(inputs property.Map, outputs map[string]property.Value) property.Map {
	all := inputs.AsMap()
	for name := range all {
		if len(name) > 1 && name[:2] == "__" {
			delete(all, name)
		}
	}
	for name, value := range outputs {
		all[name] = asSecret(value, inputs.Get(name))
	}
	return property.NewMap(all)
}

// asSecret is a value, secret where the other is: as a whole, or in parts.
func asSecret(v, other property.Value) property.Value {
	switch {
	case !other.HasSecrets() || v.Secret():
		return v
	case other.Secret():
		return v.WithSecret(true)
	case v.IsMap() && other.IsMap():
		parts := v.AsMap().AsMap()
		for name, part := range parts {
			parts[name] = asSecret(part, other.AsMap().Get(name))
		}
		return property.WithGoValue(v, property.NewMap(parts))
	case v.IsArray() && other.IsArray() && v.AsArray().Len() == other.AsArray().Len():
		items := v.AsArray().AsSlice()
		for i, item := range items {
			items[i] = asSecret(item, other.AsArray().Get(i))
		}
		return property.WithGoValue(v, property.NewArray(items))
	default:
		return v.WithSecret(true) // of another shape, it may be anywhere
	}
}

// failedCreate decides what a create that stopped leaves: nothing, if nothing
// was changed or all of it was undone; else a state that the next run repairs.
func (e *Engine) failedCreate(ctx context.Context, r *run, ref Ref, inputs property.Map, failure error) Result {
	if !r.effected {
		return Result{Err: r.mask().error(failure)}
	}
	undone, err := r.undo(ctx, failure)
	m := r.mask() // undoing may have seen more secrets
	switch {
	case err != nil:
		failure = errors.Join(failure, fmt.Errorf("and it could not be undone: %w", err))
	case undone != nil:
		failure = errors.Join(fmt.Errorf("%w; what it had done was undone", failure), r.forgetFrom(undone))
		if r.touched[0].step == undone {
			return Result{Err: r.mask().error(failure)}
		}
		// What came before stays; the next run goes on after it.
		failure = fmt.Errorf("%w, from %s on", failure, undone.name)
		r.failed = undone.index
	}
	r.takeLateID()
	if r.id == "" {
		// Without an id there is nothing that a host could keep.
		failure = fmt.Errorf("%w; something may have been made, and its id is not known", failure)
		return Result{Err: m.error(errors.Join(failure, r.reopen()))}
	}
	state := r.newState(inputs, r.partialOutputs(m))
	state.Private.Failed = r.unfinished(inputs, r.failed, failure)
	return Result{State: state, Err: m.error(failure)}
}

// takeLateID takes the id of a create that stopped before it had one, where it
// can be told: the step that failed may have answered, or the id may need no
// answer.
func (r *run) takeLateID() {
	if r.id != "" {
		return
	}
	before := r.vars.Values
	r.vars.Values = maps.Clone(before)
	defer func() { r.vars.Values = before }()
	// What is seen is the answer of an earlier step, and not the last one's.
	for _, name := range answerNames {
		r.vars.Values[name] = expr.Unknown{}
	}
	if t := last(r.touched); t.answer != nil && t.step.index == r.failed && t.step.forEach == nil {
		r.see(t.step, t.answer)
	}
	if id, err := r.evalID(); err == nil && id != "" {
		r.takeID(id)
	}
}

// undo runs the undo steps of what the create has done, last first. It returns
// the first step in the create's order that was undone; nil if there was none.
func (r *run) undo(ctx context.Context, failure error) (undone *step, err error) {
	// The failure may be that ctx ended; undoing still has to be done, and soon.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	r.undoing = true
	defer func() { r.undoing = false }()
	text := r.mask().text(failure.Error())
	for _, t := range slices.Backward(r.touched) {
		s, answer := t.step, t.answer
		if len(s.undo) == 0 {
			continue
		}
		undone = s
		if s.index < len(r.results) {
			answer = r.results[s.index]
		}
		err := r.seeing(s, answer, func() error {
			r.vars.Values["error"] = text
			return r.undoStep(ctx, s)
		})
		if err != nil {
			return undone, err
		}
	}
	return undone, nil
}

// undoStep runs the undo steps of one.
func (r *run) undoStep(ctx context.Context, s *step) error {
	for _, u := range s.undo {
		r.log.Message(Info, fmt.Sprintf("undoing %s: %s", s.name, u.action))
		if _, err := r.step(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// undoTimeout is how long undoing may take, all in all.
const undoTimeout = 30 * time.Second

// unfinished is what the next run needs to go on.
func (r *run) unfinished(inputs property.Map, failed int, err error) *Failed {
	m := r.mask()
	out := &Failed{Op: string(r.verb), Step: failed, Steps: r.op.shape(), Inputs: hashInputs(inputs), Error: m.text(err.Error())}
	for _, value := range r.results[:min(failed, len(r.results))] {
		out.Results = append(out.Results, storable(value))
	}
	// An answer may hold what nobody has declared a secret, and a hash of a short
	// secret can be guessed.
	out.Secret = len(out.Results) > 0 || property.New(inputs).HasSecrets()
	return out
}
