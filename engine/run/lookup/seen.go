package lookup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Seen returns a state with the values that the object has now.
func (res Instance) Seen(ctx context.Context, s recorded.State) (recorded.State, error) {
	r, yield, err := res.ReadUntilSeen(ctx, s)
	if err != nil {
		return s, r.Mask().Error(err)
	}
	now, err := r.State(s, yield, false)
	if now == nil {
		return s, r.Mask().Error(errors.Join(errors.New("read shows no "+res.Spec.Name), err))
	}
	return *now, r.Mask().Error(err)
}

// After an update that failed, nothing tells which of its inputs the object has. What an operation
// computes from the recorded ones, such as the members to remove from a group, would be wrong: those that
// the update had added would stay for ever.

// WithCurrentInputs returns a state with the inputs that the object has now, if an update of it has failed and an
// operation refers to recorded inputs. It reads them; what read does not show is as recorded,
// and so is all of it if the state lacks what read relies on.
func (res Instance) WithCurrentInputs(ctx context.Context, op *plan.Operation, s recorded.State) (recorded.State, error) {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Update) || f.Seen || res.Read == nil || !op.RecallsInputs(res.Resource) || recorded.CheckComplete(res.Resource, s, plan.Read) != nil {
		return s, nil
	}
	seen, err := res.Seen(ctx, s)
	if errors.Is(err, verdict.ErrGone) || errors.Is(err, verdict.ErrNotFound) {
		return s, nil // the operation finds that, too
	}
	if err != nil {
		return s, fmt.Errorf("an earlier update failed, and what it has changed cannot be read: %w", err)
	}
	s.Inputs = seen.Inputs
	return s, nil
}

// IsGoneUntagged reports whether read finds that the object of a create that failed is gone, and the delete would require its ETag.
// No refresh removes such a resource from the state, and none can give it an ETag, so it could never be deleted.
func (res Instance) IsGoneUntagged(ctx context.Context, s recorded.State) bool {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Create) || res.Read == nil || res.Delete.Writes() != 1 || !slices.ContainsFunc(res.Delete.Steps, func(s *plan.Step) bool { return s.SendsETag }) {
		return false
	}
	_, _, err := res.ReadUntilSeen(ctx, s)
	return errors.Is(err, verdict.ErrGone) && !errors.Is(err, verdict.ErrDenied)
}
