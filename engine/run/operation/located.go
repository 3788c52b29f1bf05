package operation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/view"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// located evaluates what belongs to no step, so that an error names the position of the expression.
type located struct {
	view.View
	program *plan.Program
}

// Return returns the result of an operation; see scope.Scope.
func (l *located) Return(op *plan.Operation) (any, error) {
	v, err := l.View.Return(op)
	if err != nil {
		err = fmt.Errorf("its result: %w", l.AboutResponse(op, l.Locate(err)))
	}
	return v, err
}

// EvalID evaluates the id; see view.View.
func (l *located) EvalID() (string, error) {
	id, err := l.View.EvalID()
	return id, l.Locate(err)
}

// Locate adds the position of the expression that failed to an error, if one did.
func (l *located) Locate(err error) error {
	var failed *expr.EvalError
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("%w (%s)", err, l.Place(failed.Range))
}

// Place returns the provider and a position in its spec, as messages show them.
func (l *located) Place(at diag.Range) string { return l.program.Place(at) }

// withPlace returns a message with the place of a step, unless the message has it already, because
// the error of another step is part of it.
func withPlace(message, place string) string {
	if place = " (" + place + ")"; strings.Contains(message, place) {
		return message
	}
	return message + place
}
