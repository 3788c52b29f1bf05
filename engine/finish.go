package engine

import (
	"context"
	"errors"

	"github.com/declprov/declprov/actions"
)

// halfMade reports whether a create stopped with steps still to do, and can go on
// with the inputs that it was begun with.
func halfMade(res *resource, state State) bool {
	f := state.Private.Failed
	return f != nil && f.Op == string(create) && f.Step < len(res.create.steps) && resumable(res, state, state.Inputs)
}

// finishThenChange goes on with a create that stopped halfway, with the inputs that
// it was begun with, and then changes what it made into what is wanted now: an
// update knows how to change a whole resource, not how to make the rest of one. Where the
// step fails once more, the inputs of then may be why: the rest is made with those of
// now. No update comes before: it would change what the create has not made, and somebody
// else may have.
func (e *Engine) finishThenChange(ctx context.Context, res *resource, state State, req UpdateRequest) Result {
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
		out.State.Private.Failed.World, _ = recordable(begun.Inputs)
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
