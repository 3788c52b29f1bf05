package engine

import (
	"errors"
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// What a step `returns` is what the spec relies on: vet types every template behind
// the step by it. So a response becomes data of that type here, before anything else
// sees it, or the step fails.
//
// This is one of five ways in for values. They are no one function, as they differ in
// what comes, and in who vouches for it:
//
//   - spec/decode makes plain data of text, whoever wrote it: it counts values before
//     they exist and changes no number. It knows no types. All text goes through it.
//   - receive (reception.go) makes a response of its declared type. Members have names on
//     the wire, bounds do not count, and what does not fit is beside an effect that must
//     not be lost: what fits is kept, and the error told at the end.
//   - settings.go makes a setting that is text one of its type. Nothing has happened yet:
//     what is wrong becomes a failure of the check, which the checker finds.
//   - engine/pulumi/wire reads the host's own messages, in which signatures and markers
//     are what Pulumi means by them. It knows the protocol and no types; the checker of
//     inputs (check.go) holds their values to bounds, too.
//   - refitted (recorded.go) makes a recorded state fit the spec as it is now. It is never
//     refused for its size, and no bound counts, as it could not be removed otherwise.
//
// tests/outside holds all of them to one table of what none may let in.

// unfitError is a MisfitError in the response of a step that has had its effect.
type unfitError struct{ err error }

func (e *unfitError) Error() string {
	return e.err.Error() + "; it was done, and is not done again: correct the type"
}

func (e *unfitError) Unwrap() error { return e.err }

// unfit reports whether a step that failed with an error was done, and only its
// response is not what was declared.
func unfit(err error) bool { return errors.As(err, new(*unfitError)) }

// received returns a step's result with the typed member under its declared names and
// of its declared type. An error names what does not fit; the rest of the result is
// as if it did.
func received(s *plan.Step, out actions.Outcome) (any, error) {
	members, ok := out.Result.(map[string]any)
	switch {
	case out.Received:
		return out.Result, out.Unfit
	case !ok || !s.Returns:
		return renameMembers(s, out.Result), nil
	}
	v, given := members[s.Yield]
	if !given {
		return members, nil // nobody asked for it, so it was not fetched
	}
	members = maps.Clone(members)
	got, err := s.Arrives.Receive(v, s.Yield, actions.Data)
	members[s.Yield] = got
	return members, err
}

// adapted returns the result of a failure, which is of no declared type: `returns` says
// what a success looks like. So what is there stays, and what fits is found under its
// declared name, too: that is how `refused`, `gone`, `retry.if` and `error` know it.
func adapted(s *plan.Step, out actions.Outcome) any {
	members, ok := out.Result.(map[string]any)
	if !ok || !s.Returns || out.Received {
		return out.Result
	}
	v, given := members[s.Yield]
	if !given {
		return members
	}
	members = maps.Clone(members)
	members[s.Yield] = s.Arrives.Adapt(v, actions.Data)
	return members
}
