package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// Update changes a resource. Where an earlier operation stopped halfway and the
// inputs are the same, it goes on there. An error without a state means that
// nothing was changed.
func (e *Engine) Update(ctx context.Context, req UpdateRequest) Result {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return Result{Err: err}
	}
	state, err := e.recorded(ctx, res, req.Ref, req.State)
	if err != nil {
		return Result{Err: err}
	}
	e.tokens.show(objectOf(res, state), req.Ref, state.Private.Token)
	out := e.update(ctx, res, state, req)
	if !req.Preview {
		out = e.keepToken(res, req.Ref, state, out)
	}
	return out
}

// update is Update of a state that fits the spec.
func (e *Engine) update(ctx context.Context, res *plan.Resource, state State, req UpdateRequest) Result {
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	changes := e.changes(ctx, res, req.Ref, state, req.Inputs, req.Ignore)
	if !req.Preview {
		out, err := e.settleUpdate(ctx, res, &state, req)
		if out != nil || err != nil {
			return resultOf(out, err)
		}
	}
	if halfMade(res, state) && len(changes) > 0 && !req.Preview {
		return e.finishThenChange(ctx, res, state, req)
	}
	return e.change(ctx, res, state, req, changes)
}

// change runs an update, or goes on with one, or with a create whose inputs are
// still wanted.
func (e *Engine) change(ctx context.Context, res *plan.Resource, state State, req UpdateRequest, changes []Change) Result {
	switch {
	case resumable(res, state, req.Inputs) && !req.Preview:
		return e.resume(ctx, res, state, req)
	case state.Private.Failed == nil && len(changes) == 0:
		// Nothing in the world differs; what is kept of it does.
		return Result{State: &State{
			ID: state.ID, Inputs: req.Inputs, Outputs: withInputs(req.Inputs, declared(res, state)), Private: state.Private,
		}}
	case res.Update == nil && !req.Preview:
		return Result{Err: fmt.Errorf("%s cannot be changed in place: its spec has no update", req.Type)}
	}
	if f := state.Private.Failed; f != nil && !f.Seen {
		changes = e.allChanged(res)
	}
	if res.Update != nil {
		if err := completeFor(res, state, plan.Update); err != nil {
			return Result{Err: err}
		}
	}
	r := e.newRun(ctx, res, res.Update, plan.Update, req.Ref, req.Log)
	r.preview = req.Preview
	r.inputs(req.Inputs)
	r.state(state)
	r.takeID(currentID(state))
	r.etag = state.Private.ETag
	r.Vars.Values["changes"] = changedInputs(r, res, changes)
	r.given, r.token = req.Inputs, state.Private.Token
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	if req.Preview {
		if res.Update == nil {
			r.op = &plan.Operation{}
		}
		return r.previewed(ctx, State{ID: state.ID, Inputs: req.Inputs, Outputs: state.Outputs})
	}
	return e.finishUpdate(ctx, r, req, state)
}

// resultOf is a result that there is, or an error.
func resultOf(out *Result, err error) Result {
	if out != nil {
		return *out
	}
	return Result{Err: err}
}

// declared are the recorded outputs that the spec declares.
func declared(res *plan.Resource, s State) map[string]property.Value {
	out := map[string]property.Value{}
	for _, m := range res.Outputs.Fields {
		if v, ok := s.Outputs.GetOk(m.Name); ok {
			out[m.Name] = v
		}
	}
	return out
}

// allChanged names every input as changed: after an operation that stopped
// halfway nobody knows which of them the world has.
func (e *Engine) allChanged(res *plan.Resource) []Change {
	var out []Change
	for _, m := range res.Inputs.Fields {
		out = append(out, Change{Path: m.Name, Kind: Update})
	}
	return out
}

// whereStopped says at which of an operation's steps it stopped.
func whereStopped(step int, op *plan.Operation) string {
	if step < len(op.Steps) {
		return "at " + op.Steps[step].Name
	}
	return "after its last step"
}

// resume goes on at the step where an earlier operation stopped.
func (e *Engine) resume(ctx context.Context, res *plan.Resource, state State, req UpdateRequest) Result {
	f := state.Private.Failed
	op, v := res.Create, plan.Create
	if f.Op == string(plan.Update) {
		op, v = res.Update, plan.Update
	}
	r := e.newRun(ctx, res, op, v, req.Ref, req.Log)
	r.inputs(req.Inputs)
	if v == plan.Update {
		// The host has recorded the inputs of before, so these are what they were at
		// the first attempt.
		r.state(state)
		r.Vars.Values["changes"] = changedInputs(r, res, e.changes(ctx, res, req.Ref, state, req.Inputs, req.Ignore))
	}
	r.takeID(currentID(state))
	r.etag = state.Private.ETag
	r.given, r.token = req.Inputs, state.Private.Token
	r.resume(state)
	if f.ID != "" && r.effected {
		r.Vars.Values["id"] = f.ID // as the steps before have seen it
	}
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	if v == plan.Create {
		if err := r.settleUndo(ctx, f.Doubted); err != nil {
			return Result{Err: r.Mask().Error(err)}
		}
	}
	r.log.Message(Info, fmt.Sprintf("going on with the %s that stopped %s", f.Op, whereStopped(f.Step, op)))
	if v == plan.Update {
		return e.finishUpdate(ctx, r, req, state)
	}
	out := e.finishCreate(ctx, r, req.Ref, req.Inputs)
	r.hand(out)
	return kept(out, state)
}

// kept gives the result of a resumed create the id that the host knows. A
// resource that was kept as failed stays kept, whatever happened now.
func kept(out Result, before State) Result {
	if out.State == nil {
		if out.Err != nil {
			out.State = &before
		}
		return out
	}
	if out.State.ID != before.ID {
		out.State.Private.ID, out.State.ID = out.State.ID, before.ID
	}
	return out
}

// finishUpdate runs what is still to be done of an update, and makes the state of
// whatever comes of it.
func (e *Engine) finishUpdate(ctx context.Context, r *run, req UpdateRequest, old State) Result {
	failure := r.steps(ctx)
	if failure != nil && statusOf(failure) == actions.Gone {
		failure = fmt.Errorf("%w; %s", failure, r.whereGone(old))
	}
	if failure != nil && !r.effected {
		return Result{Err: r.Mask().Error(failure)}
	}
	if failure != nil && r.looked && stopped(ctx) == nil {
		if id, err := e.ownID(ctx, r.res, req.Ref, r.id, req.Inputs, old.Inputs, r.log.to); err == nil && id != "" {
			r.id = id
		}
	}
	if statusOf(failure) == actions.Unknown && stopped(ctx) == nil {
		if out := e.reconcile(ctx, r, req, &old); out != nil {
			return *out
		}
		if r.failed < len(r.op.Steps) && r.certainty(r.op.Steps[r.failed]) == actions.Safe {
			failure = fmt.Errorf("%w; run `pulumi up` again: it is safe to repeat", failure)
		}
	}
	r.untold = failure == nil && !r.renamed() && !e.findRenamed(ctx, r, old.Inputs)
	next := &State{ID: old.ID, Inputs: req.Inputs, Private: Private{SchemaVersion: r.res.Spec.SchemaVersion, Token: old.Private.Token, Unmade: r.unmadeNow(nil)}}
	if r.id != old.ID {
		next.Private.ID = r.id
	}
	outputs := declared(r.res, old)
	failed := r.failed
	if failure == nil {
		got, err := e.outputs(ctx, r, req.Ref, req.Inputs, outputs)
		if err == nil || value.Unrecordable(err) {
			outputs = got
		}
		failure, failed = err, len(r.op.Steps)
		if err != nil && r.untold {
			failure = errors.Join(err, r.reopen(nil, err))
		}
	}
	next.Private.ETag = r.etag // reading back may have given another
	next.Outputs = withInputs(req.Inputs, outputs)
	if failure != nil {
		next.Inputs = old.Inputs // as hosts record it, too: nobody knows which of the new ones hold
		next.Private.Failed = r.unfinished(req.Inputs, failed, failure)
	} else if err := e.updated(r, next); err != nil {
		r.log.Message(Warning, err.Error())
	}
	return Result{State: next, Err: r.Mask().Error(failure)}
}

// whereGone is what to do about an update that found nothing to change.
func (r *run) whereGone(old State) string {
	if f := old.Private.Failed; f != nil && f.Unknown && f.Op == string(plan.Update) && r.renames() {
		return "the response to an earlier update, which was to give it another name, was lost: " + r.underItsNewName()
	}
	return "if it was deleted, run `pulumi refresh`: the next `pulumi up` makes it again"
}

// underItsNewName is what to do about a resource that may be there under another id.
func (r *run) underItsNewName() string {
	return fmt.Sprintf("look for it in the service. If it is there under its new name, "+
		"run `pulumi state delete` and `pulumi import`; if %q was deleted, `pulumi refresh`", r.id)
}

// renamed takes the id that an update gave the resource. It is false where the responses
// of the update do not tell it: they lack it, or it is made of another operation's step.
func (r *run) renamed() bool {
	if !r.hasID() {
		return false
	}
	id, err := r.evalID()
	if err != nil || id == "" {
		return false
	}
	r.takeID(id)
	return true
}

// hasID reports whether the id is made of what this operation has.
func (r *run) hasID() bool {
	for _, ref := range r.res.ID.Refs() {
		switch name := ref.Path[0]; {
		case name == "steps":
			named, _ := r.Vars.Values["steps"].(map[string]any)
			if len(ref.Path) < 2 || named[ref.Path[1]] == nil {
				return false
			}
		case slices.Contains(plan.AnswerNames, name) && plan.Last(r.results) == nil:
			return false
		}
	}
	return true
}
