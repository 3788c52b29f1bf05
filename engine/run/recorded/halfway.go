package recorded

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// IsHalfMade reports whether the create of a resource stopped with steps still to do, and can continue.
func IsHalfMade(res *plan.Resource, s State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && CanContinue(res, s) && f.Step < len(res.Create.Steps)
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
