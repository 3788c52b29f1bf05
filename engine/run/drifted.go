package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
)

// Between a create that stopped halfway and the run that continues it, somebody else may change the object. The steps that are left
// send what they send, and the host then records that the object has all that the program says. So if a refresh has shown other values,
// the object is read once more when the create is complete, and an update sends what differs.

// resumeDrifted continues an operation at the step at which it stopped. If it completes a create whose object a refresh has shown with
// other values, it brings them back.
func (u update) resumeDrifted(ctx context.Context, state recorded.State) Result {
	out, r := u.goOn(ctx, state)
	if !state.Private.Failed.Drifted || out.State == nil {
		return out
	}
	if out.State.KeepDrifted(); out.Err != nil {
		if state.Private.Failed.Original != nil {
			out.State.KeepOriginal(u.req.Inputs) // the host keeps what the refresh has shown
		}
		return out
	}
	changes := u.drift(ctx, &out, r)
	if len(changes) == 0 {
		out.State.KeepOriginal(u.req.Inputs)
		return out
	}
	changed := u.change(ctx, *out.State, changes)
	if changed.State == nil {
		changed.State = out.State
	}
	return changed
}

// drift returns what differs between the object whose create r has completed and the program, and gives the result the values that the
// object has. The result gets an error if that is not known, or if no update can change it.
func (u update) drift(ctx context.Context, out *Result, r *run) []value.Change {
	now, err := u.seen(ctx, *out.State)
	if err != nil {
		err = fmt.Errorf("a refresh has shown other values than the program has, and whether they remain cannot be read: %w", err)
		out.State.Private.Failed = operation.Stopped(r.Run, r.Given, len(r.Operation.Steps), err)
		out.State.KeepDrifted()
		out.Err = r.Mask().Error(err)
		return nil
	}
	changes := u.changes(ctx, now)
	if len(changes) == 0 {
		return nil
	}
	out.State = &now
	if replaces := u.requireReplacement(changes); replaces != nil {
		out.Err = fmt.Errorf("the create is complete now, but somebody has changed %s since, which no update can change back: run `pulumi up` again, which replaces it", diag.And(replaces))
		return nil
	}
	return changes
}

// mayDrift reports whether a create is complete of which only that was left: whether the object still has other values.
func (u update) mayDrift(s recorded.State) bool {
	f := s.Private.Failed
	return f != nil && f.Drifted && f.Step == len(u.res.Create.Steps) && recorded.CanResume(u.res.Resource, s, s.Inputs)
}

// requireReplacement returns the names of the inputs of changes that no update can send.
func (u update) requireReplacement(changes []value.Change) (names []string) {
	for _, c := range changes {
		if c.Replace || u.res.Update == nil {
			names = append(names, value.TopLevel(c.Path))
		}
	}
	return slices.Compact(names)
}

// seen returns a state with the inputs that the object has now.
func (u update) seen(ctx context.Context, s recorded.State) (recorded.State, error) {
	r, yield, err := u.res.ReadUntilSeen(ctx, s)
	if err != nil {
		return s, r.Mask().Error(err)
	}
	now, err := r.State(s, yield, false)
	if now == nil {
		return s, errors.Join(errors.New("read shows no "+u.res.Spec.Name), err)
	}
	return *now, nil
}
