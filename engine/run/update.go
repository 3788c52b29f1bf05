package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/deletion"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
)

// Update changes a resource in place, or resumes what an earlier run left unfinished.
func (rs *Resources) Update(ctx context.Context, of *plan.Resource, state recorded.State, req UpdateRequest) Result {
	u := update{rs.resource(of, req.Ref, req.Log), req}
	rs.Tokens.Manage(u.res.Object(state), req.Ref, state.Private.Token)
	ctx, cancel := stop.After(ctx, req.Timeout)
	defer cancel()
	if req.Preview {
		return u.run(ctx, state)
	}
	about := u.res.entries(state.Private.Token)
	if err := deletion.RefuseUpdate(ctx, u.res.Instance, about, state); err != nil {
		return Result{Err: err}
	}
	out := u.runAlone(ctx, state)
	if out.State != nil {
		u.res.warn(entries.Deletes{Entries: about}.End(state))
	}
	return out
}

// update is an update of a resource. It may take several operations: the rest of a create, and
// then the update of the spec.
type update struct {
	res resource
	req UpdateRequest
}

// run settles what earlier runs left open, and updates the resource.
func (u update) run(ctx context.Context, state recorded.State) Result {
	changes := u.changes(ctx, state)
	if !u.req.Preview {
		if out := u.settle(ctx, &state, changes); out != nil {
			return *out
		}
	}
	if recorded.IsUnfinished(u.res.Resource, state) && !recorded.RanWith(state, u.req.Inputs) && !u.req.Preview {
		return u.finishThenChange(ctx, state)
	}
	return u.change(ctx, state, changes)
}

// changes returns what the program has changed since a state was recorded. It leaves out first values
// after an import that no update can send: they are recorded as they are.
func (u update) changes(ctx context.Context, state recorded.State) []value.Change {
	var first []string
	changes := slices.DeleteFunc(u.res.Rules().Changes(ctx, state.Inputs, u.req.Inputs, u.req.Ignore), func(c value.Change) bool {
		left := c.Replace && state.Private.IsFirst(c)
		if left {
			first = append(first, value.TopLevel(c.Path)) // a key of a secret map is a part of the secret
		}
		return left
	})
	if first != nil {
		u.res.warn(fmt.Errorf("the import did not show %s, which no update can change: what the program has is recorded, and nothing is sent. "+
			"If the object has something else, write that into the program, or replace the resource with `pulumi up --replace '%s'`", diag.And(slices.Compact(first)), u.req.Key))
	}
	return changes
}

// begin returns a run of the spec's update, with everything that its templates see.
func (u update) begin(ctx context.Context, state recorded.State, changes []value.Change) updating {
	r := u.res.beginWith(ctx, u.res.Update, plan.Update, u.req.Inputs)
	r.SetState(state)
	r.TakeID(recorded.CurrentID(state))
	r.ETags = state.Private.ETags
	r.Vars.Values["changes"] = r.Changed(changes)
	r.Token = state.Private.Token
	r.old = state
	return updating{run: r, req: u.req}
}

// change runs an update, or resumes an operation that stopped with the same inputs.
func (u update) change(ctx context.Context, state recorded.State, changes []value.Change) Result {
	res, req := u.res, u.req
	if state.Private.Failed != nil {
		changes = u.changesAfterFailure(state, changes)
	}
	switch {
	case !req.Preview && u.resumes(state, changes):
		return u.resumeDrifted(ctx, state)
	case state.Private.Failed == nil && len(changes) == 0:
		return Result{State: recorded.Rewrite(res.Resource, state, req.Inputs)}
	case res.Update == nil && !req.Preview:
		return Result{Err: fmt.Errorf("%s cannot be changed in place: its spec has no update", req.Type)}
	}
	if state.Private.Failed != nil && !req.Preview {
		now, err := res.WithCurrentInputs(ctx, res.Update, state)
		if err != nil {
			return Result{Err: err}
		}
		state = now // also for what goes on with this update if it fails
	}
	if res.Update != nil {
		if err := recorded.CheckComplete(res.Resource, state, plan.Update); err != nil {
			return Result{Err: err}
		}
	}
	r := u.begin(ctx, state, changes)
	r.Preview = req.Preview
	err := recorded.RefuseMasks(req.Inputs, res.Update)
	if err == nil {
		err = r.Open()
	}
	if err != nil {
		return Result{Err: err}
	}
	if req.Preview {
		if res.Update == nil {
			r.Operation = &plan.Operation{}
		}
		return r.previewState(ctx, recorded.State{ID: state.ID, Inputs: req.Inputs, Outputs: state.Outputs})
	}
	return r.finish(ctx)
}

// addUnknown adds to the changes every input of which it is not known what the object has after an
// operation that stopped halfway: those that no read has shown since. It has those that force a
// replacement: with another value of them, there would be no update, and an API may refuse them in one.
// As in a diff, it is no change that the program does not set what the server may choose, nor what no
// program has set so far.
func (u update) addUnknown(state recorded.State, changes []value.Change) []value.Change {
	rules, failed := u.res.Rules(), state.Private.Failed
	for _, m := range u.res.Inputs.Fields {
		switch {
		case m.Replace, failed.Seen && !slices.Contains(failed.Unread, m.Name), value.IsIgnored(m.Name, u.req.Ignore),
			u.req.Inputs.Get(m.Name).IsNull() && (rules.ServerKeeps(m.Name) || !state.MayHave(m.Name)):
			continue
		}
		changes = slices.DeleteFunc(changes, func(c value.Change) bool { return value.IsWithin(c.Path, m.Name) })
		changes = append(changes, value.Change{Path: m.Name, Kind: value.Update})
	}
	return changes
}

// resumes reports whether the run resumes the operation that stopped: it had the same inputs, or only what awaits its outcome is left.
func (u update) resumes(state recorded.State, changes []value.Change) bool {
	return recorded.CanResume(u.res.Resource, state, u.req.Inputs) || state.Private.Failed != nil && len(changes) == 0 && recorded.MayAwait(u.res.Resource, state, u.req.Inputs)
}

// changesAfterFailure returns what an update changes after an operation that failed. If a read has shown that nothing differs, it may
// have failed in what no input shows. All inputs are changes then, because a request that changes nothing would do nothing, unless
// only what awaits the outcome is left.
func (u update) changesAfterFailure(state recorded.State, changes []value.Change) []value.Change {
	changes = u.addUnknown(state, changes)
	if len(changes) > 0 || recorded.MayAwait(u.res.Resource, state, u.req.Inputs) {
		return changes
	}
	failed := *state.Private.Failed
	failed.Seen, state.Private.Failed = false, &failed
	return u.addUnknown(state, nil)
}

// keepToken gives the state after an update the token of the state before. A state that an older
// version of declprov recorded has none, and gets one.
func (res resource) keepToken(before recorded.State, out Result) Result {
	if out.State == nil {
		return out
	}
	token := before.Private.Token
	if token == "" {
		token = res.all.Tokens.Next()
	}
	out.State.Private.Token, out.State.Private.VisibleBy = token, before.Private.VisibleBy
	out.State.KeepUnshown(before)
	was, is := res.Object(before), res.Object(*out.State)
	if was != is {
		res.all.Tokens.Forget(was, token)
	}
	res.all.Tokens.Manage(is, res.Ref, token)
	return out
}

// settle settles an update that an earlier run sent and whose outcome is not known: it takes the
// id from find, and if read shows what the program wants, the update was done. It returns
// nil if the update is to be sent (again).
func (u update) settle(ctx context.Context, s *recorded.State, changes []value.Change) *Result {
	if err := u.res.takeNamed(ctx, s); err != nil {
		return &Result{Err: err}
	}
	before := recorded.CurrentID(*s)
	if err := u.res.relocate(ctx, s); err != nil {
		return &Result{Err: err}
	}
	failed := s.Private.Failed
	lost := failed != nil && failed.Unknown && failed.Op == string(plan.Update)
	if !lost && recorded.CurrentID(*s) == before || u.res.Update == nil {
		return nil
	}
	r := u.begin(ctx, *s, changes)
	r.Failed = u.res.Update.LastWrite()
	if failed != nil {
		r.Failed = failed.Step
		if failed.ID != "" {
			r.Vars.Values["id"] = failed.ID
		}
	}
	if err := r.Open(); err != nil {
		return &Result{Err: err}
	}
	return r.reconcile(ctx, s)
}
