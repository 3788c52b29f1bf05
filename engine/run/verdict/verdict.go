// Package verdict decides the outcome of an attempt at a step, and whether another
// attempt follows.
package verdict

import (
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/expr"
)

var (
	// ErrGone means that the object of a resource does not exist: `gone` is true, `return`
	// is null, or the first step of `read` found nothing.
	ErrGone = errors.New("it is gone")
	// ErrDenied means ErrGone by a response that the credentials alone may cause.
	ErrDenied = fmt.Errorf("%w, or the credentials do not allow to see it", ErrGone)
	// ErrNotFound is the error of an action that found nothing. In a later step of `read`,
	// it does not mean that the object of the resource is gone.
	ErrNotFound = errors.New("not found")
	// ErrUntold is the error of a step that asks what became of what an earlier step has begun, and is told that there is no
	// such thing.
	ErrUntold = errors.New("what became of it is not known")
	// ErrIdle is the error of a step that had no effect, because it found nothing to change or to remove.
	ErrIdle = errors.New("nothing was changed")
)

// Verdict is the outcome of an attempt at a step, according to the action and to the
// `refused`, `fail`, `gone` and `until` of the spec.
//
// Everything else (retry, find, the journal, undo, what is kept) depends on verdicts
// only, and not on statuses or errors.
type Verdict struct {
	Status actions.Status
	// Value is the result, or the response of a failure, if there was one.
	Value any
	Err   error
	Class string
	// After is the delay that the action requests before another attempt, or 0.
	After time.Duration
	// Claim is what the response says about the effect. Fails is true if `fail` of the spec says that what was begun has failed.
	Claim actions.Claim
	Fails bool
	// Pending is true if the attempt succeeded and `until` is still false.
	Pending bool
	// Unfit is the mismatch between the response of a successful attempt and its
	// declared type.
	Unfit error
	// Idle is the error of a successful attempt that found nothing to change, if read shows that it should have.
	Idle error

	// again is true if the action expects another attempt to succeed.
	again bool
	// final is true if only a `retry` that names the failure retries it, because the
	// spec itself reported the failure, or the object does not exist.
	final bool
}

// Judge decides the outcome of attempts at the steps of an operation, and whether
// others follow.
type Judge struct {
	*scope.Scope
	// Deletes is true if the operation removes something: a delete, or an undo.
	Deletes bool
	// Show shows the current status of the operation.
	Show func(status string)
}

// Of returns the verdict on an attempt. The outcome of an action without an effect is
// never unknown: if it fails, nothing was done.
func (j Judge) Of(s *plan.Step, out actions.Outcome) Verdict {
	return j.applyIdle(out.Idle, j.of(s, out))
}

func (j Judge) of(s *plan.Step, out actions.Outcome) Verdict {
	v := Verdict{Status: out.Status, Err: out.Err, Class: out.Class, After: out.RetryAfter, Claim: out.Claim, again: out.Again}
	if v.Status == actions.Done {
		v.Value, v.Unfit = typedResult(s, out)
	} else {
		v.Value = adaptFailure(s, out)
	}
	switch v.Status {
	case actions.Gone:
		v.Err, v.final = fmt.Errorf("%w: %w", ErrNotFound, out.Err), true
	case actions.Failed, actions.Unknown:
		if s.Effect != actions.Write {
			v.Status = actions.Refused
		}
	}
	if v.Value == nil && v.Status != actions.Done || !s.HasVerdicts() {
		return applyMismatch(s, v)
	}
	err := j.withResponse(s, v.Value, func() error { return j.evaluate(s, out, &v) })
	if v.Unfit != nil && v.Status == actions.Done {
		return applyMismatch(s, v) // the mismatch also caused err
	}
	if err != nil && v.Status == actions.Done {
		// The attempt took effect, but its outcome cannot be evaluated.
		v.Status, v.Err, v.final = actions.Unknown, err, true
		if s.Effect != actions.Write {
			v.Status = actions.Refused
		}
	}
	return v
}

// applyMismatch returns the verdict on a successful attempt whose response may not
// match its type. The spec's own templates take precedence, because an API may report
// a refusal with status 200.
func applyMismatch(s *plan.Step, v Verdict) Verdict {
	if v.Status != actions.Done || v.Unfit == nil {
		return v
	}
	if v.Pending = false; s.Effect != actions.Write {
		v.Status, v.Err, v.final = actions.Refused, v.Unfit, true
	}
	return v
}

// applyIdle returns the verdict on a successful attempt that may have had no effect. For a delete, the object is
// gone if read confirms that. A response without what the step returns is none to go on with.
func (j Judge) applyIdle(idle *actions.Idle, v Verdict) Verdict {
	switch {
	case idle == nil || v.Status != actions.Done || v.Pending:
	case j.Deletes:
		v.Status, v.Err, v.final = actions.Gone, &idleError{idle.Err}, true
	case v.Unfit != nil:
		v.Status, v.Err, v.final = actions.Refused, fmt.Errorf("%w: %w", ErrIdle, idle.Err), true
	case !idle.Removal:
		v.Idle = fmt.Errorf("%w: %w", ErrIdle, idle.Err)
	}
	return v
}

// idleError is the error of a delete that found nothing to remove: the credentials may be the reason.
type idleError struct{ err error }

func (e *idleError) Error() string   { return "nothing was removed: " + e.err.Error() }
func (e *idleError) Unwrap() []error { return []error{ErrDenied, ErrIdle} }

// evaluate evaluates the spec's templates for a response, in the order of the
// language. For a failure it only evaluates `refused` and `gone`, which may mean that
// nothing was done or nothing exists, regardless of the status.
func (j Judge) evaluate(s *plan.Step, out actions.Outcome, v *Verdict) error {
	failed := v.Status != actions.Done
	if s.GoneFirst {
		if gone, err := j.Bool(s.Gone, false); err != nil && !failed {
			return err
		} else if gone && err == nil {
			v.Status, v.Err, v.final = actions.Gone, j.errGone(s), true
			return nil
		}
	}
	if text, err := j.message(s, s.Refused, s.Inherits.Refused, out); err != nil {
		return err
	} else if text != "" {
		v.Status, v.Err, v.again = actions.Refused, errors.New(text), false
		return nil
	}
	if v.Status != actions.Done {
		return nil
	}
	if text, err := j.message(s, s.Fail, s.Inherits.Fail, out); err != nil {
		return err
	} else if text != "" {
		v.Status, v.Err, v.final, v.Fails = actions.Failed, errors.New(text), true, true
		if s.Effect != actions.Write {
			v.Status = actions.Refused
		}
		return nil
	}
	if !s.GoneFirst {
		if gone, err := j.Bool(s.Gone, false); err != nil {
			return err
		} else if gone {
			v.Status, v.Err, v.final = actions.Gone, j.errGone(s), true
			return nil
		}
	}
	if err := j.showProgress(s); err != nil {
		return err
	}
	done, err := j.Bool(s.Until, true)
	v.Pending = !done
	return err
}

// errGone returns the error of a step whose `gone` is true for the response in scope.
func (j Judge) errGone(s *plan.Step) error {
	for _, d := range s.DenialsTakenForGone() {
		differs := false
		for name, value := range d.Response {
			differs = differs || j.Vars.Values[name] != value
		}
		if !differs {
			return ErrDenied
		}
	}
	return GoneBy("`gone` is true", j.Marked("result"))
}

// message evaluates `refused` or `fail`. A default of the family sees the response as it was
// received, because it is meant for steps of all types.
func (j Judge) message(s *plan.Step, v *expr.Value, inherited bool, out actions.Outcome) (text string, err error) {
	if v == nil || !inherited || !s.Returns || out.Status != actions.Done {
		return j.Text(v)
	}
	err = j.withResponse(s, asReceived(s, out), func() error {
		text, err = j.Text(v)
		return err
	})
	return text, err
}

// withResponse calls f with the response of an attempt as the result of the step, which in a
// forEach is that of one element.
func (j Judge) withResponse(s *plan.Step, response any, f func() error) error {
	return j.WithResult(s.Once(), response, f)
}

// showProgress shows the step's `progress`.
func (j Judge) showProgress(s *plan.Step) error {
	text, err := j.ShownText(s.Progress, "progress")
	if errors.Is(err, scope.ErrExposed) {
		text, err = "[secret]", nil
	}
	if err == nil && text != "" {
		j.Show(text)
	}
	return err
}

// WithDoubt returns the status of a step after its last attempt. doubt is true if the
// outcome of an earlier attempt is unknown; a refusal may then be a consequence of
// that attempt. For a delete, "not found" is a success.
func (j Judge) WithDoubt(status actions.Status, doubt bool) actions.Status {
	switch {
	case !doubt || status == actions.Failed:
		return status
	case status == actions.Gone && j.Deletes:
		return status
	default:
		return actions.Unknown
	}
}
