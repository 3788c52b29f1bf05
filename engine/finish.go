package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// halfMade reports whether a create stopped with steps still to do, and can go on
// with the inputs that it was begun with.
func halfMade(res *plan.Resource, state State) bool {
	f := state.Private.Failed
	return f != nil && f.Op == string(plan.Create) && f.Step < len(res.Create.Steps) && resumable(res, state, state.Inputs)
}

// finishThenChange goes on with a create that stopped halfway, with the inputs that
// it was begun with, and then changes what it made to the inputs of now. An update
// knows how to change a whole resource, not how to make the rest of one. Where the
// step fails once more, the inputs of then may be why: the rest is made with those of
// now. No update comes before: it would change what the create has not made, and somebody
// else may have.
func (e *Engine) finishThenChange(ctx context.Context, res *plan.Resource, state State, req UpdateRequest) Result {
	wanted := req.Inputs
	req.Inputs = state.Inputs
	made := e.resume(ctx, res, state, req)
	if live(ctx) && failedAgain(state, made) {
		req.Inputs = wanted
		made = asBegun(state, e.resume(ctx, res, *made.State, req))
	}
	if made.Err != nil || made.State == nil {
		return withWorld(made, state)
	}
	req.Inputs = wanted
	out := e.change(ctx, res, *made.State, req, e.allChanged(res))
	if out.State == nil {
		out.State = made.State
	}
	return out
}

func live(ctx context.Context) bool { return stopped(ctx) == nil && ctx.Err() == nil }

// asBegun is what came of a create that went on with other inputs than it was begun with:
// what its first steps made still has those.
func asBegun(begun State, out Result) Result {
	if out.State == nil {
		return out
	}
	state := *out.State
	state.Inputs = begun.Inputs
	if f := state.Private.Failed; f != nil {
		failed := *f
		failed.Inputs = begun.Private.Failed.Inputs
		state.Private.Failed = &failed
	}
	out.State = &state
	return out
}

// withWorld notes the inputs that a create was begun with: the host records those that it
// asked for.
func withWorld(out Result, begun State) Result {
	if out.State != nil && out.State.Private.Failed != nil {
		out.State.Private.Failed.World, _ = value.Recordable(begun.Inputs)
	}
	return out
}

// failedAgain reports whether a create that went on was answered where it had stopped that
// it is not done, and has left everything as it was.
func failedAgain(before State, out Result) bool {
	if out.State == nil || out.State.Private.Failed == nil || !errors.As(out.Err, new(*StepError)) || statusOf(out.Err) == actions.Unknown {
		return false
	}
	was, is := before.Private.Failed, out.State.Private.Failed
	return is.Step == was.Step && !is.Unknown && !is.Stuck && len(is.Undone) == len(was.Undone) && len(is.Elements) == len(was.Elements)
}

// resume takes what an earlier run has finished: it goes on at the step that it
// stopped at, or at the one that this step restarts at, and does again what was
// undone.
func (r *run) resume(s State) {
	f := s.Private.Failed
	r.unmade = strings.Fields(s.Private.Unmade)
	r.resumed, r.finished = true, map[int]bool{}
	first := f.Step
	if f.Step < len(r.op.Steps) {
		first = r.op.Steps[f.Step].Restart
	}
	again := map[int]bool{}
	for _, i := range f.Undone {
		again[i] = true
	}
	r.remakes = r.verb == plan.Create && r.res.Maker != nil && again[r.res.Maker.Index]
	relying := r.op.RelyOn(again)
	for _, i := range f.Misfits {
		r.misfit(i)
	}
	for i, result := range f.Results[:min(len(f.Results), len(r.op.Steps))] {
		if i >= first && !slices.Contains(f.Kept, i) || again[i] || relying[i] {
			continue
		}
		r.finished[i] = true
		r.record(r.op.Steps[i], value.Restored(result))
		if r.op.Steps[i].Effect == actions.Write {
			r.effected = true
		}
	}
	if f.Elements != nil && first == f.Step && !relying[first] {
		r.goesOn = r.op.Steps[f.Step]
		r.elements, _ = value.Restored(f.Elements).(map[string]any)
	}
}
