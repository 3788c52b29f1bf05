package operation

import (
	"errors"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// StepError is the error of an operation that stopped at a step.
type StepError struct {
	// Verb, Step and Action name the operation, its step and the action of the step.
	Verb, Step, Action string
	// Attempt counts from 1.
	Attempt int
	// Place names the provider, its version, and the position of the step in the spec:
	// file:line:column.
	Place string
	Err   error

	// Status is the status of all attempts together.
	Status actions.Status
	// Refused is true if the last attempt was refused, even if an earlier one was not.
	Refused bool
	// Fails is true if `fail` of the spec has ended the last attempt.
	Fails bool
	// NoEffect is true if read has shown that no attempt had an effect, although one was lost.
	NoEffect bool
	class    string
}

func (e *StepError) Error() string {
	attempt := ""
	if e.Attempt > 1 {
		attempt = fmt.Sprintf(", attempt %d", e.Attempt)
	}
	return withPlace(fmt.Sprintf("%s failed at %s, %s%s: %v", e.Verb, e.Step, e.Action, attempt, e.Err), e.Place)
}

// Responded reports whether the last attempt has reached its target, which has responded.
func (e *StepError) Responded() bool {
	return e.class != "" && e.class != "connection" && e.class != "timeout"
}

func (e *StepError) Unwrap() error { return e.Err }

// Stop returns the error of a step that ended with a status.
func (r *Run) Stop(s *plan.Step, attempt int, status actions.Status, err error) error {
	return &StepError{
		Verb: string(r.Verb), Step: s.Name, Action: s.Action, Attempt: attempt,
		Place: r.Place(s.Model.Range), Err: err, Status: status,
	}
}

// StatusOf returns the status of the step at which an operation stopped. It returns Refused
// for an error that is not of a step.
func StatusOf(err error) actions.Status {
	var failed *StepError
	if errors.As(err, &failed) {
		return failed.Status
	}
	return actions.Refused
}

// RefusedInDoubt returns the error of a step of an update that was refused by a response, after an attempt of this run, or of
// the earlier one that stopped as f says, was lost. It returns nil for other errors.
func RefusedInDoubt(r *Run, s *plan.Step, err error, f *recorded.Failed) *StepError {
	var failed *StepError
	if r.Verb != plan.Update || s.ForEach != nil || !errors.As(err, &failed) || !failed.Refused || !failed.Responded() {
		return nil
	}
	if failed.Status != actions.Unknown && (f == nil || !f.Unknown || f.Step != s.Index || f.Op != string(plan.Update)) {
		return nil
	}
	return failed
}
