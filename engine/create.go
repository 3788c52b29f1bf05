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
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// Create makes a resource. The result has a state without an error when it
// worked; an error without a state when nothing is left of the attempt; and both
// when something was made and is not as it should be: the next run goes on from
// there.
func (e *Engine) Create(ctx context.Context, req CreateRequest) Result {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return Result{Err: err}
	}
	r := e.newRun(ctx, res, res.Create, plan.Create, req.Ref, req.Log)
	r.preview = req.Preview
	r.inputs(req.Inputs)
	r.given = req.Inputs
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	if err := r.foreseeID(); err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	if req.Preview {
		return r.previewed(ctx, State{Inputs: req.Inputs})
	}
	r.token = e.tokens.next()
	out, settled := e.settleEarlier(ctx, r)
	if !settled {
		out = e.finishCreate(ctx, r, req.Ref, req.Inputs)
	}
	if out.State != nil {
		e.tokens.show(objectOf(res, *out.State), req.Ref, r.token)
	}
	r.hand(out)
	return out
}

// withTimeout bounds a call; 0 is no bound.
func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than the %s that it was given: %w", limit, context.DeadlineExceeded))
}

// foreseeID reports what inputs make of the id that cannot be one, before anything is
// sent: once it is made, nothing could name it.
func (r *run) foreseeID() error {
	if r.res.ID == nil {
		return nil
	}
	inputs, _ := r.Vars.Values["inputs"].(map[string]any)
	for _, name := range r.res.IDInputs {
		if text, ok := inputs[name].(string); ok {
			if err := value.RecordableID(text, "the id of "+r.res.Spec.Name); err != nil {
				return err
			}
		}
	}
	if !r.res.IDMixes {
		return nil
	}
	defer r.withoutAnswers()()
	if _, err := r.evalID(); value.Unrecordable(err) {
		return err
	}
	return nil // what else is wrong with it, its step says
}

// finishCreate runs what is still to be done of a create, and makes the state of
// whatever comes of it.
func (e *Engine) finishCreate(ctx context.Context, r *run, ref Ref, inputs property.Map) Result {
	err := r.steps(ctx)
	if err != nil {
		return e.failedCreate(ctx, r, ref, inputs, err)
	}
	if r.id == "" {
		r.failed = len(r.op.Steps)
		return e.failedCreate(ctx, r, ref, inputs, r.withoutID())
	}
	outputs, err := e.outputs(ctx, r, ref, inputs, nil)
	state := r.newState(inputs, outputs)
	state.Private.Unmade = r.unmadeNow(nil)
	if err != nil {
		state.Private.Failed = r.unfinished(inputs, len(r.op.Steps), err)
	}
	return Result{State: state, Err: r.Mask().Error(err)}
}

// newState is the state of a resource that the run has made or changed.
func (r *run) newState(inputs property.Map, outputs map[string]property.Value) *State {
	return &State{
		ID: r.id, Inputs: inputs, Outputs: withInputs(inputs, outputs),
		Private: Private{SchemaVersion: r.res.Spec.SchemaVersion, ETag: r.etag, Token: r.token},
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
		return Result{Err: r.Mask().Error(r.withLeftovers(failure))}
	}
	undone, err := r.undo(ctx, failure)
	if undone == nil {
		failure = fmt.Errorf("%w; nothing of it was undone, because it is the object that this resource replaces", failure)
	}
	failed := statusOf(failure) == actions.Failed
	failure = errors.Join(r.told(failure, undone, err), r.forgetUndone(undone))
	m := r.Mask() // undoing may have seen more secrets
	if !r.owns(undone) {
		failure = errors.Join(failure, r.listEarlierBereft(undone))
		if failed {
			r.left = nil // with the one that has just failed
			failure = r.withLeftovers(failure)
		}
		return Result{Err: m.Error(failure)}
	}
	if r.id == "" {
		// Without an id there is nothing that a host could keep.
		failure = fmt.Errorf("%w; something may have been made, and its id is not known: `declprov journal` lists it", failure)
		return Result{Err: m.Error(errors.Join(failure, r.reopen(undone, failure)))}
	}
	state := r.newState(inputs, r.partialOutputs(m))
	if r.stuck(ctx, failure) {
		failure = fmt.Errorf("%w; it cannot go on with what its steps were answered, so the next `pulumi up` replaces it", failure)
		state.Private.Failed = r.unfinished(inputs, r.failed, failure)
		state.Private.Failed.Stuck = true
	} else {
		state.Private.Failed = r.unfinished(inputs, r.failed, failure)
	}
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
	state.Private.Unmade = r.unmadeNow(undone)
	state.Private.Failed.Doubted = r.unanswered
	failure = errors.Join(failure, r.listBereft(undone, failure))
	return Result{State: state, Err: m.Error(failure)}
}

// withLeftovers adds to a refusal what earlier attempts at the create may have left:
// that may be why it was refused. One that was answered is among them, where it was
// another create's: what the host has recorded of it would have settled it.
func (r *run) withLeftovers(failure error) error {
	if !r.mayHaveEarlier() {
		return failure
	}
	list, _ := r.earlier() // what cannot be read is said at the first create that needs it
	var keys []string
	for _, i := range list {
		if i.Operation == journal.Create && (!i.WasAnswered() || i.Token != r.token) && !i.UnderWay() {
			keys = append(keys, i.Key)
		}
	}
	if keys == nil {
		return failure
	}
	more := ""
	if n := len(keys) - someKeys; n > 0 {
		keys, more = keys[:someKeys], fmt.Sprintf(", and so on: `declprov journal` lists %d more", n)
	}
	return fmt.Errorf("%w; an earlier attempt at it may have left something: look for it in the service, and import it if it is yours, or remove it; "+
		"then `declprov journal forget %s`%s", failure, strings.Join(keys, " "), more)
}

// someKeys is how many entries of the journal a message names.
const someKeys = 4

// owns reports whether something of the create may be left, and is proved to be
// its own: a step was answered as done, or a response gave the id. Nothing is left
// once every step that may have had an effect was undone. It takes the id where
// that can be told.
func (r *run) owns(undone map[int]bool) bool {
	left := r.resumed && len(r.finished) > 0
	owned := left
	for _, t := range r.touched {
		left = left || !undone[t.step.Index]
		owned = owned || t.done
	}
	last := plan.Last(r.touched)
	answered := last != nil && last.answer != nil && last.step.Index == r.failed && r.idFromResponse(last.step)
	if !left || !owned && !answered {
		return false
	}
	r.takeLateID()
	return owned || r.id != ""
}

// idFromResponse reports whether the id is made of what a step was answered.
func (r *run) idFromResponse(s *plan.Step) bool {
	return r.res.ID != nil && slices.ContainsFunc(r.res.ID.Refs(), func(ref expr.Ref) bool {
		return slices.Contains(plan.AnswerNames, ref.Path[0]) || len(ref.Path) > 1 && ref.Path[0] == "steps" && ref.Path[1] == s.Model.As
	})
}

// takeLateID takes the id of a create that stopped before it had one, where it
// can be told: the step that failed may have answered, or the id may need no
// response.
func (r *run) takeLateID() {
	if r.id != "" {
		return
	}
	if id := r.lateID(); id != "" {
		r.takeID(id)
	}
}

// lateID is the id of a create that stopped before it had one, "" where that cannot be
// told.
func (r *run) lateID() string {
	before := r.Vars.Values
	r.Vars.Values = maps.Clone(before)
	defer func() { r.Vars.Values = before }()
	// What is seen is the response of an earlier step, and not the last one's.
	for _, name := range plan.AnswerNames {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if t := plan.Last(r.touched); t != nil && t.answer != nil && t.step.Index == r.failed && t.step.ForEach == nil {
		r.SetResult(t.step, t.answer)
	}
	id, err := r.evalID()
	if err != nil {
		return ""
	}
	return id
}

// stuck reports whether a create stopped because an expression has no value for what
// earlier steps were answered: the next run would have the same.
func (r *run) stuck(ctx context.Context, failure error) bool {
	var eval *expr.EvalError
	var lack *lackError
	if stopped(ctx) != nil || ctx.Err() != nil || !errors.As(failure, &eval) && !errors.As(failure, &lack) || errors.Is(failure, context.DeadlineExceeded) || r.failed >= len(r.op.Steps) {
		return false
	}
	before := map[int]bool{}
	for i := range r.failed {
		before[i] = true
	}
	return r.op.RelyOn(before)[r.failed]
}

// unfinished is what the next run needs to go on.
func (r *run) unfinished(inputs property.Map, failed int, err error) *Failed {
	m := r.Mask()
	out := &Failed{
		Op: string(r.verb), Step: failed, Steps: r.op.Shape(), Inputs: hashInputs(inputs), Error: screen.Show(err.Error(), m).String(),
		Unknown: statusOf(err) == actions.Unknown, Misfits: slices.Sorted(maps.Keys(r.misfits)),
	}
	if id, _ := r.Vars.Values["id"].(string); r.verb == plan.Update && id != r.id {
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
	if failed < len(r.op.Steps) && r.goesOn == r.op.Steps[failed] && len(r.elements) > 0 {
		out.Elements, _ = storable(r.elements).(map[string]any)
	}
	// An answer may hold what nobody has declared a secret, and a hash of a short
	// secret can be guessed.
	out.Secret = len(out.Results) > 0 || len(out.Elements) > 0 || property.New(inputs).HasSecrets()
	return out
}
