package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
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
		found, err = operation.FoundAs(r, s)
	}
	if err == nil && found == nil {
		err = r.NotOnPages(r.Operation.Steps...)
	}
	return found, err
}

// defaultConsistency is the default of `consistency`: how long the server may not show a new object.
const defaultConsistency = 10 * time.Second

// resultID returns the id that the response of a create gives, "" if it gives none. The response
// of another step does not change the id.
func (f finder) resultID(s *plan.Step, response any) string {
	if s != f.Resource.Maker || f.Verb != plan.Create {
		return f.ID
	}
	return f.IDIn(s, response)
}

// foundID is resultID for what find found: "" if the id has inputs by which find does not look, since that object may
// have others.
func (f finder) foundID(s *plan.Step, found any) string {
	if s == f.Resource.Maker && f.Verb == plan.Create && !f.Resource.IDHasOnlySought() {
		return ""
	}
	return f.resultID(s, found)
}

// describeID returns a phrase with the id of what find found, "" if the id is not known.
func (f finder) describeID(s *plan.Step, found any) string {
	if id := f.foundID(s, found); id != "" {
		return fmt.Sprintf(" (its id is %q)", id)
	}
	if f.Verb == plan.Create && f.Resource.IDFromResponses() {
		return " (what find returns has no id, so it may be no object: `return` must be the object, or null if there is none)"
	}
	return ""
}
