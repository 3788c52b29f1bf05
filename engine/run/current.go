package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// After an update that failed, nothing tells which of its inputs the object has. What an operation
// computes from the recorded ones, such as the members to remove from a group, would be wrong: those that
// the update had added would stay for ever.

// current returns a state with the inputs that the object has now, if an update of it has failed and an
// operation refers to recorded inputs. It reads them; what read does not show is as recorded,
// and so is all of it if the state lacks what read relies on.
func current(ctx context.Context, res resource, op *plan.Operation, s recorded.State) (recorded.State, error) {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Update) || f.Seen || res.Read == nil || !op.RecallsInputs(res.Resource) || recorded.CheckComplete(res.Resource, s, plan.Read) != nil {
		return s, nil
	}
	r, yield, err := res.readUntilSeen(ctx, s)
	if errors.Is(err, verdict.ErrGone) || errors.Is(err, verdict.ErrNotFound) {
		return s, nil // the operation finds that, too
	}
	var seen *recorded.State
	if err == nil {
		seen, err = r.State(s, yield, false)
	}
	if err != nil {
		return s, fmt.Errorf("an earlier update failed, and what it has changed cannot be read: %w", r.Mask().Error(err))
	}
	s.Inputs = seen.Inputs
	return s, nil
}
