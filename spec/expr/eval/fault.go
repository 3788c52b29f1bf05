package eval

import (
	"errors"
	"fmt"

	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// fault is what goes wrong in an evaluation, in the author's words: as it is
// shown, and as it is shown where a secret may be among what it quotes.
type fault struct{ message, hidden string }

func (f *fault) Error() string { return f.message }

// Quoted is the text of a value, or made of one, in a message.
type Quoted string

// Quote returns a value in a message.
func Quote(v any) Quoted {
	if types.IsNumber(v) {
		return Quoted(types.NumberText(v))
	}
	return Quoted(types.DescribeValue(v))
}

// DescribeKind returns what a value of an evaluation is.
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

// Faultf makes a fault. What is a quoted, or in one, is hidden with secrets.
func Faultf(format string, args ...any) error {
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
	return &fault{fmt.Sprintf(format, args...), fmt.Sprintf(format, hidden...)}
}

var (
	ErrWork = errors.New("the expression takes too long: it goes over too many items")
	ErrText = fmt.Errorf("the expression makes a string of more than %d MiB", MaxText>>20)
)

// EvalError is what goes wrong when a template is evaluated.
type EvalError struct {
	// Template is the expression as its author wrote it.
	Template string
	// Range is where the fault stands in the document.
	Range   diag.Range
	Message string
	err     error
}

// Unwrap returns what cut the evaluation short: the end of its context, or of what
// it may spend; nil of any other error.
func (e *EvalError) Unwrap() error { return e.err }

// keep makes err what Unwrap returns. Of another kind of error nothing is kept: it
// may quote what the message hides.
func (e *EvalError) keep(err error) {
	var stopped *budget.Stopped
	switch {
	case errors.As(err, &stopped):
		e.err = stopped
	case errors.Is(err, ErrWork):
		e.err = ErrWork
	}
}

// Error names the expression and what is wrong with it.
func (e *EvalError) Error() string { return fmt.Sprintf("${%s}: %s", e.Template, e.Message) }

// failure returns what goes wrong at a part of an expression.
func failure(p parse.Place, e parse.Extent, message string) *EvalError {
	return &EvalError{Template: p.Source, Range: p.At(e), Message: message}
}

// because returns a failure for a message that is an error's.
func because(p parse.Place, e parse.Extent, err error) *EvalError {
	out := failure(p, e, err.Error())
	out.keep(err)
	return out
}
