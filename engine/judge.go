package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
)

// verdict is what an attempt at a step came to: what the action saw, and what the
// spec's `refused`, `fail`, `gone` and `until` make of its response.
//
// Everything that follows (retry, find, the journal, undo, what is kept) follows
// from verdicts; nothing else looks at a status or an error.
type verdict struct {
	status actions.Status
	// value is the result; of a failure the response, where there was one.
	value any
	err   error
	class string
	// again and after are what the action said of another attempt.
	again bool
	after time.Duration
	// final says that only a retry that names the failure is about it: the spec
	// itself has called it one, or there is nothing to act on.
	final bool
	// pending says that it worked, and `until` does not hold yet.
	pending bool
	// unfit says, of what worked, how its response is not of the declared type.
	unfit error
}

// judge says what an attempt came to. An action without an effect is never in
// doubt: whatever went wrong, nothing was done.
func (r *run) judge(s *plan.Step, out actions.Outcome) verdict {
	v := verdict{status: out.Status, err: out.Err, class: out.Class, again: out.Again, after: out.RetryAfter}
	if v.status == actions.Done {
		v.value, v.unfit = received(s, out)
		r.noteETag(s, v.value)
	} else {
		v.value = adapted(s, out)
	}
	switch v.status {
	case actions.Gone:
		v.err, v.final = fmt.Errorf("%w: %w", errNotFound, out.Err), true
	case actions.Failed, actions.Unknown:
		if s.Effect != actions.Write {
			v.status = actions.Refused
		}
	}
	if v.value == nil && v.status != actions.Done || !s.HasVerdicts() {
		return heldTo(s, v)
	}
	err := r.WithResult(s, v.value, func() error { return r.ask(s, &v) })
	if v.unfit != nil && v.status == actions.Done {
		return heldTo(s, v) // that is why err, too
	}
	if err != nil && v.status == actions.Done {
		// It was done, and nobody can say what came of it.
		v.status, v.err, v.final = actions.Unknown, err, true
		if s.Effect != actions.Write {
			v.status = actions.Refused
		}
	}
	return v
}

// heldTo is the verdict on an attempt that worked, by whether its response fits. What
// the spec says of a response comes before: an API may report a refusal in a 200.
func heldTo(s *plan.Step, v verdict) verdict {
	if v.status != actions.Done || v.unfit == nil {
		return v
	}
	if v.pending = false; s.Effect != actions.Write {
		v.status, v.err, v.final = actions.Refused, v.unfit, true
	}
	return v
}

// ask asks what the spec says of a response, in the order of the language. Of a
// response that is a failure already only `refused` and `gone` are asked: that
// nothing was done, or is there, whatever the status. What only looks is first asked
// whether the thing is there.
func (r *run) ask(s *plan.Step, v *verdict) error {
	failed := v.status != actions.Done
	if s.Effect != actions.Write || failed && (r.verb == plan.Delete || r.undoing) {
		if gone, err := r.Bool(s.Gone, false); err != nil && !failed {
			return err
		} else if gone && err == nil {
			v.status, v.err, v.final = actions.Gone, errGone, true
			return nil
		}
	}
	if text, err := r.Text(s.Refused); err != nil {
		return err
	} else if text != "" {
		v.status, v.err, v.again = actions.Refused, errors.New(text), false
		return nil
	}
	if v.status != actions.Done {
		return nil
	}
	if text, err := r.Text(s.Fail); err != nil {
		return err
	} else if text != "" {
		v.status, v.err, v.final = actions.Failed, errors.New(text), true
		if s.Effect != actions.Write {
			v.status = actions.Refused
		}
		return nil
	}
	if s.Effect == actions.Write {
		if gone, err := r.Bool(s.Gone, false); err != nil {
			return err
		} else if gone {
			v.status, v.err, v.final = actions.Gone, errGone, true
			return nil
		}
	}
	if text, err := r.PublicText(s.Progress, "progress"); errors.Is(err, scope.ErrExposed) {
		r.log.Status("[secret]")
	} else if err != nil {
		return err
	} else if text != "" {
		r.log.Status(text)
	}
	done, err := r.Bool(s.Until, true)
	v.pending = !done
	return err
}

// doubted is how a step ended whose last attempt ended so, where after an earlier
// one nobody knew what it had done: a refusal may then be for what that one did.
// A delete wants just what a "not found" says.
func (r *run) doubted(status actions.Status, doubt bool) actions.Status {
	switch {
	case !doubt || status == actions.Failed:
		return status
	case status == actions.Gone && (r.verb == plan.Delete || r.undoing):
		return status
	default:
		return actions.Unknown
	}
}

// effect notes that a step has changed something, or may have.
func (r *run) effect(s *plan.Step, v verdict) {
	if s.Effect != actions.Write || v.status == actions.Refused || v.status == actions.Gone || r.undoing {
		return
	}
	r.effected = true
	t := r.touch(s)
	r.takeTurn(s)
	// What a settled action failed at is known, and so is whose it is.
	t.done = t.done || v.status == actions.Done || v.status == actions.Failed && s.Certainty == actions.Settled
	if v.status != actions.Unknown && v.value != nil {
		t.answer = v.value
	}
}

// touched is a step that has changed something, or may have.
type touched struct {
	step *plan.Step
	// done says that it was answered as done, once at least: what it made is ours.
	done bool
	// answer is its latest response, judged right or not; nil where none came.
	answer any
}

// touch is the note of a step that has an effect.
func (r *run) touch(s *plan.Step) *touched {
	for _, t := range r.touched {
		if t.step == s {
			return t
		}
	}
	t := &touched{step: s}
	r.touched = append(r.touched, t)
	return t
}
