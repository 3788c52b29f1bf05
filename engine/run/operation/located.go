package operation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// Return returns the result of an operation; see scope.Scope. An error names the operation and the
// position of the expression.
func (r *Run) Return(op *plan.Operation) (any, error) {
	v, err := r.View.Return(op)
	if err != nil {
		err = fmt.Errorf("%s failed at its result: %w", r.Verb, r.Locate(err))
	}
	return v, err
}

// EvalID evaluates the id; see view.View. An error names the position of the expression.
func (r *Run) EvalID() (string, error) {
	id, err := r.View.EvalID()
	return id, r.Locate(err)
}

// Locate adds the position of the expression that failed to an error, if one did.
func (r *Run) Locate(err error) error {
	var failed *expr.EvalError
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("%w (%s)", err, r.Place(failed.Range))
}

// withPlace returns a message with the place of a step, unless the message has it already, because
// the error of another step is part of it.
func withPlace(message, place string) string {
	if place = " (" + place + ")"; strings.Contains(message, place) {
		return message
	}
	return message + place
}
