package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec"
)

// finder looks for the object of a resource, and tells whether it is the resource's own.
type finder struct {
	*operation.Run
	res resource
	// given are the inputs of a create or an update.
	given property.Map
	// token is the token of the create that made the resource: see recorded.Private.
	token string
	// stable are the recorded outputs of the object that is looked for, of which those with @stable() show
	// whether it is the same.
	stable property.Map
}

// finder returns a finder for the object of a create with these inputs.
func (res resource) finder(ctx context.Context, inputs property.Map) (finder, error) {
	f := finder{Run: res.all.New(ctx, res.Resource, res.Create, plan.Create, res.ref, res.log), res: res, given: inputs}
	f.SetInputs(inputs)
	return f, f.Open()
}

// findUntilSeen runs find until it finds what was sent at a time, or until retryUntilSeen gives up: then it
// returns nil.
func (f finder) findUntilSeen(ctx context.Context, s *plan.Step, sent time.Time) (any, error) {
	var found any
	err := f.retryUntilSeen(ctx, sent, func() (bool, error) {
		var err error
		found, err = f.find(ctx, s)
		return found != nil, err
	})
	return found, err
}

// retryUntilSeen calls look until it reports true, or until `consistency` has passed since something
// was sent: for so long the server may not show a new object.
func (f finder) retryUntilSeen(ctx context.Context, sent time.Time, look func() (bool, error)) error {
	limit, err := f.Duration(f.Resource.Consistency, defaultConsistency)
	if err != nil {
		return err
	}
	return stop.Until(ctx, stop.Within(sent.Add(limit), limit), func() {
		f.Log.Status("waiting until what an earlier attempt may have made can be seen")
	}, look)
}

// find runs the resource's `find` and returns what it found as a result of the step, nil if
// there is nothing.
func (f finder) find(ctx context.Context, s *plan.Step) (any, error) {
	r := f.Fork(f.res.Find, "find")
	var found any
	err := r.Steps(ctx)
	switch {
	case errors.Is(err, verdict.ErrDenied):
		return nil, err
	case errors.Is(err, verdict.ErrGone), errors.Is(err, verdict.ErrNotFound) && r.Failed == 0:
		err = r.NotOnPages(r.Operation.Steps[r.Failed])
	case verdict.IsNullForType(r.Operation.Steps[min(r.Failed, len(r.Operation.Steps)-1)], err):
		return nil, nil
	case err != nil:
		return nil, err
	default:
		found, err = adopted(r, s)
	}
	if err == nil && found == nil {
		err = r.NotOnPages(r.Operation.Steps...)
	}
	return found, err
}

// adopted returns what find found in the form of the step's own result. For an http step, the
// `return` of find becomes the body.
func adopted(r *operation.Run, s *plan.Step) (any, error) {
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
		err = &unlikeError{err}
	}
	return members, err
}

// unlikeError is the error of a find that found something of another type than the response
// that it replaces.
type unlikeError struct{ err error }

func (e *unlikeError) Error() string {
	return fmt.Sprintf("something is there, and the result of `find` does not match the response of the create: %v", e.err)
}

func (e *unlikeError) Unwrap() error { return e.err }

// defaultConsistency is the default of `consistency`: how long the server may not show a new
// object.
const defaultConsistency = 10 * time.Second

// resultID returns the id that the response of a create gives, "" if it gives none. The response
// of another step does not change the id.
func (f finder) resultID(s *plan.Step, response any) string {
	if s != f.Resource.Maker || f.Verb != plan.Create {
		return f.ID
	}
	return f.IDIn(s, response)
}

// describeID returns a phrase with the id of what find found, "" if the id is not known.
func (f finder) describeID(s *plan.Step, found any) string {
	if id := f.resultID(s, found); id != "" {
		return fmt.Sprintf(" (its id is %q)", id)
	}
	return ""
}
