package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
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
	r.given, r.token = req.Inputs, e.tokens.next()
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	if req.Preview {
		return r.previewed(ctx, State{Inputs: req.Inputs})
	}
	out, settled := e.settleEarlier(ctx, r)
	if !settled {
		out = e.finishCreate(ctx, r, req.Ref, req.Inputs)
	}
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

// finishCreate runs what is still to be done of a create, and makes the state of
// whatever comes of it.
func (e *Engine) finishCreate(ctx context.Context, r *run, ref Ref, inputs property.Map) Result {
	err := r.steps(ctx)
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
		Private: Private{SchemaVersion: r.res.spec.SchemaVersion, ETag: r.etag, Token: r.token},
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
// was made, nobody knows whether anything was, or all of it was undone; else a
// state that the next run repairs.
func (e *Engine) failedCreate(ctx context.Context, r *run, ref Ref, inputs property.Map, failure error) Result {
	if !r.effected {
		return Result{Err: r.mask().error(r.withLeftovers(failure))}
	}
	undone, err := r.undo(ctx, failure)
	failed := statusOf(failure) == actions.Failed
	failure = errors.Join(r.told(failure, undone, err), r.forgetUndone(undone))
	m := r.mask() // undoing may have seen more secrets
	if !r.owns(undone) {
		if failed {
			r.left = nil // with the one that has just failed
			failure = r.withLeftovers(failure)
		}
		return Result{Err: m.error(failure)}
	}
	if r.id == "" {
		// Without an id there is nothing that a host could keep.
		failure = fmt.Errorf("%w; something may have been made, and its id is not known: `declprov journal` lists it", failure)
		return Result{Err: m.error(errors.Join(failure, r.reopen(undone, failure)))}
	}
	state := r.newState(inputs, r.partialOutputs(m))
	state.Private.Failed = r.unfinished(inputs, r.failed, failure)
	for i, is := range undone {
		if !is {
			continue
		}
		if i != r.failed {
			state.Private.Failed.Undone = append(state.Private.Failed.Undone, i)
		} else {
			state.Private.Failed.Elements = nil // they are to be made again, all of them
		}
	}
	slices.Sort(state.Private.Failed.Undone)
	return Result{State: state, Err: m.error(failure)}
}

// withLeftovers adds to a refusal what earlier attempts at the create may have left:
// that may be why it was refused.
func (r *run) withLeftovers(failure error) error {
	if !r.mayHaveEarlier() {
		return failure
	}
	list, _ := r.earlier() // what cannot be read is said at the first create that needs it
	var keys []string
	for _, i := range list {
		if i.Operation == journal.Create && i.Status != journal.Answered && !i.UnderWay() {
			keys = append(keys, i.Key)
		}
	}
	if keys == nil {
		return failure
	}
	return fmt.Errorf("%w; an earlier attempt at it may have left something: look for it in the service, and import it if it is yours, or remove it; "+
		"then `declprov journal forget %s`", failure, strings.Join(keys, " "))
}

// owns reports whether something of the create may be left, and is proved to be
// its own: a step was answered as done, or a response gave the id. Nothing is left
// once every step that may have had an effect was undone. It takes the id where
// that can be told.
func (r *run) owns(undone map[int]bool) bool {
	left := r.resumed && len(r.finished) > 0
	owned := left
	for _, t := range r.touched {
		left = left || !undone[t.step.index]
		owned = owned || t.done
	}
	last := last(r.touched)
	answered := last != nil && last.answer != nil && last.step.index == r.failed && r.idFromResponse(last.step)
	if !left || !owned && !answered {
		return false
	}
	r.takeLateID()
	return owned || r.id != ""
}

// idFromResponse reports whether the id is made of what a step was answered.
func (r *run) idFromResponse(s *step) bool {
	return r.res.id != nil && slices.ContainsFunc(r.res.id.Refs(), func(ref expr.Ref) bool {
		return slices.Contains(answerNames, ref.Path[0]) || len(ref.Path) > 1 && ref.Path[0] == "steps" && ref.Path[1] == s.model.As
	})
}

// takeLateID takes the id of a create that stopped before it had one, where it
// can be told: the step that failed may have answered, or the id may need no
// response.
func (r *run) takeLateID() {
	if r.id != "" {
		return
	}
	before := r.vars.Values
	r.vars.Values = maps.Clone(before)
	defer func() { r.vars.Values = before }()
	// What is seen is the response of an earlier step, and not the last one's.
	for _, name := range answerNames {
		r.vars.Values[name] = expr.Unknown{}
	}
	if t := last(r.touched); t != nil && t.answer != nil && t.step.index == r.failed && t.step.forEach == nil {
		r.see(t.step, t.answer)
	}
	if id, err := r.evalID(); err == nil && id != "" {
		r.takeID(id)
	}
}

// undo runs the undo steps of what the create has done, last first, and returns
// the indices of the steps that were undone. It stops at the first that fails.
func (r *run) undo(ctx context.Context, failure error) (undone map[int]bool, err error) {
	// The failure may be that ctx ended; undoing still has to be done, and soon.
	ctx, cancel := undoing(ctx, undoTimeout)
	defer cancel()
	r.undoing = true
	defer func() { r.undoing = false }()
	text, undone := r.mask().text(failure.Error()), map[int]bool{}
	for _, t := range slices.Backward(r.touched) {
		s, answer := t.step, t.answer
		if len(s.undo) == 0 || !r.ours(t) {
			continue
		}
		if s.index < len(r.results) && s.index < r.failed {
			answer = r.results[s.index]
		}
		r.missed, r.ran = false, false
		err := r.seeing(s, answer, func() error {
			r.vars.Values["error"] = text
			return r.undoStep(ctx, s)
		})
		if err != nil {
			return undone, err
		}
		// What may still come of a step that nobody knows the outcome of was not there
		// to be undone.
		undone[s.index] = r.ran && (t.done || t.answer != nil || !r.missed)
	}
	return undone, nil
}

// ours reports whether what a step may have made is the create's own, so that it may
// be undone: the step was answered as done, or an earlier one was, of which this is
// a part, or find has found that there was nothing before. Else its undo steps might
// hit what somebody else has made under the same name.
func (r *run) ours(t *touched) bool {
	if t.done || r.resumed || r.looked {
		return true
	}
	return slices.ContainsFunc(r.touched, func(other *touched) bool { return other.done && other.step.index < t.step.index })
}

// told adds to a failure what was undone after it, and what was not.
func (r *run) told(failure error, undone map[int]bool, err error) error {
	var did, left []string
	for _, t := range r.touched {
		if undone[t.step.index] {
			did = append(did, t.step.name)
		} else {
			left = append(left, t.step.name)
		}
	}
	if did == nil && err == nil {
		return failure
	}
	switch {
	case left == nil:
		failure = fmt.Errorf("%w; what it had done was undone", failure)
	case did == nil:
		failure = fmt.Errorf("%w; nothing of it was undone", failure)
	default:
		failure = fmt.Errorf("%w; undone: %s; not undone: %s", failure, enumerateAnd(did), enumerateAnd(left))
	}
	if err != nil {
		failure = errors.Join(failure, fmt.Errorf("it could not be undone: %w", err))
	}
	return failure
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
	out := &Failed{
		Op: string(r.verb), Step: failed, Steps: r.op.shape(), Inputs: hashInputs(inputs), Error: m.text(err.Error()),
		Unknown: statusOf(err) == actions.Unknown,
	}
	if id, _ := r.vars.Values["id"].(string); r.verb == update && id != r.id {
		out.ID = id
	}
	for _, value := range r.results[:min(failed, len(r.results))] {
		out.Results = append(out.Results, storable(value))
	}
	// A run that went on may have finished steps behind the one that failed now.
	for i := failed; i < len(r.results); i++ {
		value := any(nil)
		if r.finished[i] && i > failed {
			out.Kept, value = append(out.Kept, i), r.results[i]
		}
		out.Results = append(out.Results, storable(value))
	}
	if failed < len(r.op.steps) && r.goesOn == r.op.steps[failed] && len(r.elements) > 0 {
		out.Elements, _ = storable(r.elements).(map[string]any)
	}
	// An answer may hold what nobody has declared a secret, and a hash of a short
	// secret can be guessed.
	out.Secret = len(out.Results) > 0 || len(out.Elements) > 0 || property.New(inputs).HasSecrets()
	return out
}
