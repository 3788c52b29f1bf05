package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/spec/diag"
)

// undo runs the undo steps of what the create has done, last first, and returns
// the indices of the steps that were undone. It stops at the first that fails. What
// is the object of another state is not undone, and the map is nil then: the host has
// it, and undoing would take it away.
func (a *aftermath) undo(ctx context.Context) error {
	if a.hasUndo() && a.isShownObject() {
		return nil
	}
	// The failure may be that ctx ended; undoing still has to be done, and soon.
	ctx, cancel := stop.Undoing(ctx, undoTimeout)
	defer cancel()
	a.Undoing = true
	defer func() { a.Undoing = false }()
	text := a.Mask().Text(a.failure.Error())
	a.undone = map[int]bool{}
	for _, t := range slices.Backward(a.touched) {
		s, answer := t.step, t.answer
		if len(s.Undo) == 0 {
			continue
		}
		switch ours, err := a.isOwn(ctx, t); {
		case err != nil:
			return err
		case !ours:
			continue
		}
		if s.Index < len(a.results) && s.Index < a.failed {
			answer = a.results[s.Index]
		}
		a.missed, a.ran = false, false
		err := a.WithResult(s, answer, func() error {
			a.Vars.Values["error"] = text
			return a.undoStep(ctx, s)
		})
		if err != nil {
			if statusOf(err) == actions.Unknown {
				a.unanswered = append(a.unanswered, s.Index)
			}
			return err
		}
		// What may still come of a step that nobody knows the outcome of was not there
		// to be undone.
		a.undone[s.Index] = a.ran && (t.done || t.answer != nil || !a.missed)
	}
	return nil
}

// hasUndo reports whether there is anything to undo.
func (a *aftermath) hasUndo() bool {
	return slices.ContainsFunc(a.touched, func(t *touched) bool { return len(t.step.Undo) > 0 })
}

// isShownObject reports whether what the create has made is the object of another state,
// which the host has shown: a replacement that has the id of what it replaces.
func (a *aftermath) isShownObject() bool {
	id := cmp.Or(a.id, a.evalLateID())
	return a.rt.Tokens.Superseded(recorded.ObjectOf(a.res, recorded.State{ID: id, Inputs: a.given}), a.token)
}

// isOwn reports whether what a step may have made is the create's own, so that it may
// be undone: the step was answered as done, or an earlier one was, of whose response this is
// made, or find has found that there was nothing before, and nothing speaks against
// what it finds now. Else its undo steps might hit what somebody else has made under
// the same name.
func (a *aftermath) isOwn(ctx context.Context, t *touched) (bool, error) {
	before := func(other *touched) bool { return other.done && other.step.Index < t.step.Index }
	if t.done || t.step.UsesResults() && (a.resumed && !a.remakes || slices.ContainsFunc(a.touched, before)) {
		return true, nil
	}
	if !a.looked {
		return false, nil
	}
	found, err := a.find(ctx, t.step)
	if err != nil || found == nil {
		return err == nil, err
	}
	why, err := a.notOwn(ctx, t.step, found, nil, a.given)
	if err == nil && why != "" {
		a.Log.Message(Warning, fmt.Sprintf("%s is not undone: something is there now%s, and %s", t.step.Name, a.describeID(t.step, found), why))
	}
	return err == nil && why == "", err
}

// describeUndone adds to the failure what was undone after it, and what was not.
func (a *aftermath) describeUndone(err error) {
	var did, left []string
	for _, t := range a.touched {
		if a.undone[t.step.Index] {
			did = append(did, t.step.Name)
		} else {
			left = append(left, t.step.Name)
		}
	}
	switch {
	case did == nil && err == nil:
		return
	case left == nil:
		a.failure = fmt.Errorf("%w; what it had done was undone", a.failure)
	case did == nil:
		a.failure = fmt.Errorf("%w; nothing of it was undone", a.failure)
	default:
		a.failure = fmt.Errorf("%w; undone: %s; not undone: %s", a.failure, diag.And(did), diag.And(left))
	}
	if err != nil {
		a.failure = errors.Join(a.failure, fmt.Errorf("it could not be undone: %w", err))
	}
}

// undoStep runs the undo steps of one.
func (a *aftermath) undoStep(ctx context.Context, s *plan.Step) error {
	for _, u := range s.Undo {
		a.Log.Message(Info, fmt.Sprintf("undoing %s: %s", s.Name, u.Action))
		if _, err := a.step(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// undoTimeout is how long undoing may take, all in all.
const undoTimeout = 30 * time.Second
