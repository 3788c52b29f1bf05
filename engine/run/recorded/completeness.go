package recorded

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// IsHalfMade reports whether the create of a resource stopped with steps still to do, and can continue.
func IsHalfMade(res *plan.Resource, s State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && CanContinue(res, s) && f.Step < len(res.Create.Steps)
}

// IsUnfinished reports whether a create stopped halfway, or is complete and only has to find out whether its object still has
// the other values that a refresh has shown.
func IsUnfinished(res *plan.Resource, s State) bool {
	f := s.Private.Failed
	return IsHalfMade(res, s) || f != nil && f.Drifted && f.Step == len(res.Create.Steps) && CanResume(res, s, s.Inputs)
}

// IsPartlyUndone reports whether some steps of the create of a resource were undone.
func IsPartlyUndone(s State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && len(f.Undone) > 0
}

// MayNotExistYet reports whether the object that read asks for may not have been made yet, because
// the create stopped between two steps with an effect. If the id refers to inputs only, it is no
// proof that the object was made.
func MayNotExistYet(res *plan.Resource, s State) bool {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Create) || res.Create == nil || f.Steps != res.Create.Shape() || res.IDFromResponses() {
		return false
	}
	finished, ahead := false, false
	for i, step := range res.Create.Steps {
		done := (i < f.Step || slices.Contains(f.Kept, i)) && !slices.Contains(f.Undone, i)
		finished = finished || done && step.Effect == actions.Write
		ahead = ahead || !done && step.Effect == actions.Write
	}
	return finished && ahead
}

// HasUnmadeSteps reports whether a step of the create has made nothing, so that a later step of
// read may find nothing.
func HasUnmadeSteps(res *plan.Resource, s State) bool {
	f := s.Private.Failed
	return s.Private.Unmade != "" || f != nil && f.Op == string(plan.Create) && res.Create != nil && f.Step < len(res.Create.Steps)
}

// NextOf says what the next update makes of the state of a create that was interrupted, and that can continue if able is true.
func NextOf(s State, able bool) string {
	switch {
	case able:
		return "brings it to the inputs of now"
	case s.Private.Failed.Stuck:
		return "replaces it, because " + s.Private.Failed.Error
	default:
		return "updates it, because " + otherSteps
	}
}

const otherSteps = "the create has other steps in the spec now"

// LostError is the error of a create that was interrupted before it had an id, and that cannot continue. key is that of its
// entry in the journal.
func LostError(create *plan.Operation, s State, key string) error {
	why := otherSteps
	if s.Private.Failed.Stuck {
		why = s.Private.Failed.Error
	}
	return fmt.Errorf("an earlier create of it was interrupted %s, before its id was known, and nothing was sent now, because %s: "+
		"look in the service for what it has made, and remove that; then run `declprov journal forget %s`", create.WhereStopped(s.Private.Failed.Step), why, key)
}

// IsUnproven reports whether nothing proves that the object of a state is what its create has made, because that has stopped
// halfway: somebody else may have made it under the same name.
func IsUnproven(res *plan.Resource, s State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && res.Maker != nil && slices.Contains(f.Unproven, res.Maker.Index)
}

// UnprovenError is the error of a delete of such a state. failed is the error of its read, nil if that finds something.
func UnprovenError(ref Ref, failed error) error {
	err := fmt.Errorf("it is not known whether its create has made it, or somebody else under the same name, so it is not deleted: run `pulumi up`, which goes on with the create; "+
		"if that fails, run `pulumi state delete '%s'`, and look in the service whether it is yours", ref.Key)
	if failed != nil {
		err = fmt.Errorf("%w (read, which would tell whether it is there: %w)", err, failed)
	}
	return err
}
