package eval

import (
	"errors"
	"fmt"

	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// fault is an error of an evaluation. hidden is the message without quoted values,
// for evaluations that may involve secrets.
type fault struct {
	message, hidden string
	// is is what Unwrap returns: the kind of the fault, or nil.
	is error
}

func (f *fault) Error() string { return f.message }

func (f *fault) Unwrap() error { return f.is }

// Quoted is the text of a value in a message.
type Quoted string

// Quote returns the text of a value for a message.
func Quote(v any) Quoted {
	if types.IsNumber(v) {
		return Quoted(types.NumberText(v))
	}
	return Quoted(types.DescribeValue(v))
}

// DescribeKind returns the kind of a value for messages.
func DescribeKind(v any) string {
	switch v.(type) {
	case Moment:
		return "a time"
	case Span:
		return "a duration"
	default:
		return types.DescribeKind(v)
	}
}

// Faultf returns a fault. Arguments of type Quoted are hidden if secrets may be
// involved.
func Faultf(format string, args ...any) error { return faultf(format, args...) }

func faultf(format string, args ...any) *fault {
	hidden := make([]any, len(args))
	for i, a := range args {
		hidden[i] = a
		switch a := a.(type) {
		case Quoted:
			hidden[i] = "…"
		case *fault:
			hidden[i] = a.hidden
		}
	}
	return &fault{message: fmt.Sprintf(format, args...), hidden: fmt.Sprintf(format, hidden...)}
}

var (
	ErrWork = errors.New("the expression takes too long: it processes too many items")
	ErrText = fmt.Errorf("the expression creates a string of more than %d MiB", MaxText>>20)
)

// EvalError is an error in the evaluation of a template.
type EvalError struct {
	// Template is the expression as its author wrote it.
	Template string
	// Range is the position of the error in the document.
	Range   diag.Range
	Message string
	err     error
}

// Unwrap returns ErrSeveral, or the error that ended the evaluation early: that of its context or of
// its budget. It returns nil for other errors.
func (e *EvalError) Unwrap() error { return e.err }

// keep sets the error that Unwrap returns. Other errors are dropped, because they may
// quote values that the message hides.
func (e *EvalError) keep(err error) {
	var stopped *budget.Stopped
	switch {
	case errors.As(err, &stopped):
		e.err = stopped
	case errors.Is(err, ErrWork):
		e.err = ErrWork
	case errors.Is(err, ErrSeveral):
		e.err = ErrSeveral
	}
}

// Error returns the expression and the message.
func (e *EvalError) Error() string { return fmt.Sprintf("${%s}: %s", e.Template, e.Message) }

// failure returns the error of a part of an expression.
func failure(p parse.Place, e parse.Extent, message string) *EvalError {
	return &EvalError{Template: p.Source, Range: p.At(e), Message: message}
}

// failureOf returns a failure with the message of an error.
func failureOf(p parse.Place, e parse.Extent, err error) *EvalError {
	out := failure(p, e, err.Error())
	out.keep(err)
	return out
}
