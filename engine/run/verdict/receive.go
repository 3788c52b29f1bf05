package verdict

import (
	"errors"
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// The spec relies on the type that a step `returns`: vet checks every later template by
// it. So a response is converted to that type here, before anything else uses it, or the
// step fails.
//
// This is one of five entry points for values. They differ in the form of the values and
// in how far these are trusted:
//
//   - spec/decode decodes all text to plain data, without types. It counts values before it
//     creates them, and keeps numbers exact.
//   - value.Naming.Receive converts a response to its declared type. Members have wire
//     names, and bounds do not apply. The effect of the step must not be lost, so matching
//     parts are kept, and a mismatch is reported at the end.
//   - value.FromText converts a setting that is text to its type. Nothing has happened yet,
//     so mistakes become failures of the check.
//   - engine/pulumi/wire decodes the host's messages, in which signatures and markers have
//     their meaning in Pulumi. It has no types; value.Findings checks inputs, including
//     bounds.
//   - value.RefitEach converts a recorded state to the current spec. It has no limit on the
//     size, and bounds do not apply, because the object could not be deleted otherwise.
//
// tests/outside checks all of them with one table of values that must be rejected.

// UnfitError is a MisfitError in the response of a step that took effect.
type UnfitError struct{ Err error }

func (e *UnfitError) Error() string {
	return e.Err.Error() + "; the response reports a success, so the step is not repeated unless read shows that it had no effect: correct the type"
}

func (e *UnfitError) Unwrap() error { return e.Err }

// IsUnfit reports whether an error means that a step was done, and only its response
// does not match the declared type.
func IsUnfit(err error) bool { return errors.As(err, new(*UnfitError)) }

// IsNothing reports whether the result of a step of find says that nothing was found: the output
// of a command that is null.
func IsNothing(s *plan.Step, result any) bool {
	members, ok := result.(map[string]any)
	v, has := members[s.Yield]
	return ok && has && v == nil && s.NullIsNothing
}

// IsNullForType reports whether a step of find failed because null came in place of the type that
// it returns.
func IsNullForType(s *plan.Step, err error) bool {
	var misfit *value.MisfitError
	return s.NullIsNothing && errors.As(err, &misfit) && misfit.Path == s.Yield && misfit.Got == "null"
}

// typedResult returns a step's result, with its typed member converted to its
// declared names and type. The error reports a mismatch; the other parts of the
// result are still valid.
func typedResult(s *plan.Step, out actions.Outcome) (any, error) {
	members, ok := out.Result.(map[string]any)
	switch {
	case out.Received:
		return out.Result, out.Unfit
	case !ok || !s.Returns:
		return RenameMembers(s, out.Result), nil
	}
	v, given := members[s.Yield]
	if !given {
		return members, nil // the spec does not use it, so the action did not fetch it
	}
	members = maps.Clone(members)
	got, err := s.ResultNaming.Receive(v, s.Yield, actions.Data)
	members[s.Yield] = got
	return members, err
}

// adaptFailure returns the result of a failure. `returns` does not apply to it, so
// all members remain. Members that match are also available under their declared
// names, for `refused`, `gone`, `retry.if` and `error`.
func adaptFailure(s *plan.Step, out actions.Outcome) any {
	if out.Received {
		return out.Result
	}
	return asReceived(s, out)
}

// asReceived returns a result in which all members of the response remain, as in that of a
// failure.
func asReceived(s *plan.Step, out actions.Outcome) any {
	if out.AsReceived != nil {
		return out.AsReceived()
	}
	members, ok := out.Result.(map[string]any)
	if !ok || !s.Returns {
		return out.Result
	}
	v, given := members[s.Yield]
	if !given {
		return members
	}
	members = maps.Clone(members)
	members[s.Yield] = s.ResultNaming.Adapt(v, actions.Data)
	return members
}

// RenameMembers renames the typed members of a response from their wire names to
// their declared names.
func RenameMembers(s *plan.Step, result any) any {
	members, ok := result.(map[string]any)
	if !ok || !s.ResultNaming.Active {
		return result
	}
	members[s.Yield] = s.ResultNaming.FromWire(members[s.Yield], nil)
	return members
}
