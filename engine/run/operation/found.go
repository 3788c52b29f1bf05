package operation

import (
	"fmt"
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec"
)

// FoundAs returns what find found in the form of the step's own result. For an http step, the
// `return` of find becomes the body.
func FoundAs(r *Run, s *plan.Step) (any, error) {
	by := plan.Last(r.Operation.Steps)
	answer, from := r.Vars.Values["result"], by.Yields()
	if r.Operation.Return != nil {
		found, err := r.Eval(r.Operation.Return)
		if err != nil {
			return nil, r.Stop(by, 1, actions.Refused, fmt.Errorf("return: %w", r.AboutResponse(r.Operation, err)))
		}
		answer, from = s.WithYield(found, answer), r.Operation.Return.Type()
	}
	if answer == nil || verdict.IsNothing(by, answer) {
		return nil, nil
	}
	untyped := r.Resource.Types.Resolve(from).Kind == spec.Any
	members, ok := answer.(map[string]any)
	switch {
	case !s.Returns && untyped:
		return verdict.RenameMembers(s, answer), nil // a typed value has its declared names already
	case !s.Returns || !ok:
		return answer, nil
	}
	// The body must match the type that the step returns.
	fitting, members := s.ResultNaming.ReceiveDeclared, maps.Clone(members)
	if untyped {
		fitting = func(v any, path string) (any, error) { return s.ResultNaming.Receive(v, path, actions.Data) }
	}
	var err error
	if members[s.Yield], err = fitting(members[s.Yield], s.Yield); err != nil {
		err = &UnlikeError{err}
	}
	return members, err
}

// UnlikeError is the error of a find that found something of another type than the response
// that it replaces.
type UnlikeError struct{ err error }

func (e *UnlikeError) Error() string {
	return fmt.Sprintf("something is there, and the result of `find` does not match the response of the create: %v", e.err)
}

func (e *UnlikeError) Unwrap() error { return e.err }
