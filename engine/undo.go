package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/diag"
)

// undo runs the undo steps of what the create has done, last first, and returns
// the indices of the steps that were undone. It stops at the first that fails. What
// is the object of another state is not undone, and the map is nil then: the host has
// it, and undoing would take it away.
func (r *run) undo(ctx context.Context, failure error) (undone map[int]bool, err error) {
	if r.undoes() && r.hitsOther() {
		return nil, nil
	}
	// The failure may be that ctx ended; undoing still has to be done, and soon.
	ctx, cancel := undoing(ctx, undoTimeout)
	defer cancel()
	r.undoing = true
	defer func() { r.undoing = false }()
	text, undone := r.Mask().Text(failure.Error()), map[int]bool{}
	for _, t := range slices.Backward(r.touched) {
		s, answer := t.step, t.answer
		if len(s.Undo) == 0 {
			continue
		}
		switch ours, err := r.ours(ctx, t); {
		case err != nil:
			return undone, err
		case !ours:
			continue
		}
		if s.Index < len(r.results) && s.Index < r.failed {
			answer = r.results[s.Index]
		}
		r.missed, r.ran = false, false
		err := r.WithResult(s, answer, func() error {
			r.Vars.Values["error"] = text
			return r.undoStep(ctx, s)
		})
		if err != nil {
			if statusOf(err) == actions.Unknown {
				r.unanswered = append(r.unanswered, s.Index)
			}
			return undone, err
		}
		// What may still come of a step that nobody knows the outcome of was not there
		// to be undone.
		undone[s.Index] = r.ran && (t.done || t.answer != nil || !r.missed)
	}
	return undone, nil
}

// undoes reports whether there is anything to undo.
func (r *run) undoes() bool {
	return slices.ContainsFunc(r.touched, func(t *touched) bool { return len(t.step.Undo) > 0 })
}

// hitsOther reports whether what the create has made is the object of another state,
// which the host has shown: a replacement that has the id of what it replaces.
func (r *run) hitsOther() bool {
	id := cmp.Or(r.id, r.lateID())
	return r.engine.tokens.superseded(objectOf(r.res, State{ID: id, Inputs: r.given}), r.token)
}

// ours reports whether what a step may have made is the create's own, so that it may
// be undone: the step was answered as done, or an earlier one was, of whose response this is
// made, or find has found that there was nothing before, and nothing speaks against
// what it finds now. Else its undo steps might hit what somebody else has made under
// the same name.
func (r *run) ours(ctx context.Context, t *touched) (bool, error) {
	before := func(other *touched) bool { return other.done && other.step.Index < t.step.Index }
	if t.done || t.step.UsesResults() && (r.resumed && !r.remakes || slices.ContainsFunc(r.touched, before)) {
		return true, nil
	}
	if !r.looked {
		return false, nil
	}
	found, err := r.find(ctx, t.step)
	if err != nil || found == nil {
		return err == nil, err
	}
	why, err := r.notOwn(ctx, t.step, found, nil, r.given)
	if err == nil && why != "" {
		r.log.Message(Warning, fmt.Sprintf("%s is not undone: something is there now%s, and %s", t.step.Name, r.idOf(t.step, found), why))
	}
	return err == nil && why == "", err
}

// settleUndo finds out what came of undo steps that were not answered, before a create
// goes on with what they may have undone. Of its object read tells; another step is done
// again where that does no harm.
func (r *run) settleUndo(ctx context.Context, doubted []int) error {
	gone := map[int]bool{}
	for _, i := range doubted {
		switch s := r.op.Steps[i]; {
		case s == r.res.Maker && r.res.Read != nil && r.id != "":
			there, err := r.standing(ctx, r.id)
			if err != nil {
				return err
			}
			if gone[i] = !there; !there {
				r.log.Message(Info, fmt.Sprintf("undoing %s was not answered: it was done, as reading shows, so it is made anew", s.Name))
			}
		case s.Certainty == actions.Safe:
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if err := r.listBereft(gone, errors.New("undoing what it belongs to was not answered")); err != nil {
		return err
	}
	for i := range r.op.RelyOn(gone) {
		gone[i] = true
	}
	for i, is := range gone {
		if !is {
			continue
		}
		delete(r.finished, i)
		if r.goesOn == r.op.Steps[i] {
			r.goesOn, r.elements = nil, nil
		}
		r.remakes = r.remakes || r.op.Steps[i] == r.res.Maker
	}
	return nil
}

// told adds to a failure what was undone after it, and what was not.
func (r *run) told(failure error, undone map[int]bool, err error) error {
	var did, left []string
	for _, t := range r.touched {
		if undone[t.step.Index] {
			did = append(did, t.step.Name)
		} else {
			left = append(left, t.step.Name)
		}
	}
	if did == nil && err == nil {
		return failure
	}
	switch {
	case left == nil:
		failure = fmt.Errorf("%w; what it had done was undone", failure)
	case did == nil:
		failure = fmt.Errorf("%w; nothing of it was undone", failure)
	default:
		failure = fmt.Errorf("%w; undone: %s; not undone: %s", failure, diag.And(did), diag.And(left))
	}
	if err != nil {
		failure = errors.Join(failure, fmt.Errorf("it could not be undone: %w", err))
	}
	return failure
}

// undoStep runs the undo steps of one.
func (r *run) undoStep(ctx context.Context, s *plan.Step) error {
	for _, u := range s.Undo {
		r.log.Message(Info, fmt.Sprintf("undoing %s: %s", s.Name, u.Action))
		if _, err := r.step(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// undoTimeout is how long undoing may take, all in all.
const undoTimeout = 30 * time.Second
