package operation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// LackError is the error of a step that requires the result of an earlier step whose response
// did not match its type. The template is not at fault: what it misses is missing from that
// response.
type LackError struct {
	earlier string
	goesOn  bool
}

func (e *LackError) Error() string {
	text := fmt.Sprintf("it requires the result of %s, whose response did not match its `returns`", e.earlier)
	if !e.goesOn {
		return text
	}
	return text + "; correct the type, then run `pulumi refresh` and `pulumi up`"
}

// explainLack returns the error of a step. If an expression has no value, and an earlier response on
// which the step relies did not match its type, it returns a LackError.
func (r *Run) explainLack(s *plan.Step, err error) error {
	var failed *StepError
	if !errors.As(err, new(*expr.EvalError)) || !errors.As(err, &failed) {
		return err
	}
	for i := range s.Index {
		if r.Misfits[i] && r.Operation.RelyOn(map[int]bool{i: true})[s.Index] {
			told := *failed
			told.Err = &LackError{earlier: r.Operation.Steps[i].Name, goesOn: r.Verb != plan.Create}
			return &told
		}
	}
	return err
}

// isOrphaned reports whether a step of a delete uses the result of an earlier step that found
// nothing, such as a step that waits for the end of a delete that never began. A step with an
// `if` decides for itself.
func (r *Run) isOrphaned(s *plan.Step) bool {
	if r.Verb != plan.Delete || s.When != nil || s.Index == 0 {
		return false
	}
	return usesMissing(s, r.Operation.Steps[:s.Index], func(of *plan.Step) bool { return r.Results[of.Index] == nil })
}

// usesMissing reports whether a step uses the result of one of the steps before that ran and found nothing.
func usesMissing(s *plan.Step, before []*plan.Step, missing func(*plan.Step) bool) bool {
	return slices.ContainsFunc(s.Refs(), func(ref expr.Ref) bool {
		of, _ := plan.ResultOf(before, nil, ref.Path)
		return of != nil && of.When == nil && of.ForEach == nil && missing(of)
	})
}
