package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
)

// undo runs the undo steps of what the create has done, last first, and stores in undone which
// steps were undone. It stops at the first error. If the create has made the object of another
// state, it undoes nothing, and undone stays nil: that state would lose its object.
func (a *aftermath) undo(ctx context.Context) error {
	if !operation.Undoes(a.Run, a.failure) {
		a.undone = map[int]bool{}
		return nil
	}
	if operation.HasUndo(a.Run, a.failure) && a.isKnownObject() {
		return nil
	}
	// The create may have failed because ctx ended. Undoing gets a time of its own.
	ctx, cancel := stop.Undoing(ctx, undoTimeout)
	defer cancel()
	if operation.HasUndo(a.Run, a.failure) {
		halfMade{a.run}.undoing()
	}
	a.Undoing = true
	defer func() { a.Undoing = false }()
	text := a.Mask().Text(a.failure.Error())
	a.undone = map[int]bool{}
	for _, t := range slices.Backward(operation.Made(a.Run, a.failure)) {
		if len(t.Step.Undo) == 0 {
			continue
		}
		if err := a.undoStep(ctx, t, text); err != nil {
			return err
		}
	}
	return nil
}

// undoStep undoes a step if what it has made is the create's own. text is the failure.
func (a *aftermath) undoStep(ctx context.Context, t *operation.Touched, text string) error {
	s, answer := t.Step, t.Answer
	if t.Done && !operation.Proves(a.Run, t) {
		return a.leave(ctx, t)
	}
	if ours, err := a.isOwn(ctx, t); err != nil || !ours {
		return err
	}
	if s.Index < len(a.Results) && s.Index < a.Failed {
		answer = a.Results[s.Index]
	}
	began, err := operation.Undo(ctx, a.Run, s, answer, text)
	if errors.Is(err, verdict.ErrUntold) && s == a.Resource.Maker && a.IsGone(ctx, cmp.Or(a.ID, operation.LateID(a.Run))) {
		err = nil
	}
	if err != nil && began {
		a.doubted = append(a.doubted, s.Index)
	}
	if err == nil {
		// If the outcome of the step is unknown and undo found nothing, the effect may still come.
		a.undone[s.Index] = a.Ran && (t.Done || t.Answer != nil || !a.Missed)
	}
	return err
}

// leave leaves alone what nothing proves to be made by a step: somebody else may have made it. If there is nothing, it counts as undone.
func (a *aftermath) leave(ctx context.Context, t *operation.Touched) (err error) {
	there, which := true, ""
	switch id := cmp.Or(a.ID, operation.LateID(a.Run)); {
	case a.Resource.Finds(t.Step):
		var found any
		found, err = a.Find(ctx, t.Step)
		there, which = found != nil, a.DescribeID(t.Step, found)
	case t.Step == a.Resource.Maker && id != "" && a.Resource.Read != nil:
		there, err = a.Exists(ctx, id)
		which = fmt.Sprintf(" (its id is %q)", id)
	}
	if a.undone[t.Step.Index] = err == nil && !there; err == nil && there {
		t.Done, t.Unproven, a.failure = false, true, operation.LeftAloneError(a.failure, which)
	}
	return err
}

// isKnownObject reports whether what the create has made is the object of another state that the
// host has shown: the server gave a replacement the id of the object that it replaces.
func (a *aftermath) isKnownObject() bool {
	id := cmp.Or(a.ID, operation.LateID(a.Run))
	_, known := a.res.all.Tokens.Superseded(a.res.Object(recorded.State{ID: id, Inputs: a.Given}), a.Token)
	return known
}

// isOwn reports whether what a step may have made is the create's own, so that it may be undone.
// It is if the step succeeded, if its arguments refer to the result of an earlier step that
// succeeded, or if find found nothing before, and nothing speaks against what it finds now.
// Otherwise the undo steps might remove what somebody else has made under the same name.
func (a *aftermath) isOwn(ctx context.Context, t *operation.Touched) (bool, error) {
	before := func(other *operation.Touched) bool { return other.Done && other.Step.Index < t.Step.Index }
	if t.Done || t.Step.UsesResults() && (a.resumed && !a.remakes || slices.ContainsFunc(a.Touched, before)) {
		return true, nil
	}
	if !a.looked {
		return false, nil
	}
	found, err := a.Find(ctx, t.Step)
	if err != nil || found == nil {
		return err == nil, err
	}
	why, err := a.ClaimFound(ctx, t.Step, found, nil, a.Given)
	if err == nil && why != "" {
		a.Log.Message(operation.Warning, fmt.Sprintf("%s is not undone: something is there now%s, and %s", t.Step.Name, a.DescribeID(t.Step, found), why))
	}
	return err == nil && why == "", err
}

// undoTimeout is how long undoing may take in total.
const undoTimeout = 30 * time.Second
