// Package lookup looks for the object of a resource, and tells whether it is the resource's own.
package lookup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/expr"
)

// Finder looks for the object of a resource, and tells whether it is the resource's own.
type Finder struct {
	*operation.Run
	// Instance is the resource that is looked for.
	Instance Instance
	// Given are the inputs of a create or an update.
	Given property.Map
	// Token is the token of the create that made the resource: see recorded.Private.
	Token string
	// Stable are the recorded outputs of the object that is looked for, of which those with @stable() show
	// whether it is the same.
	Stable property.Map
}

// FindUntilSeen runs find until it finds what was sent at a time, or until RetryUntilSeen gives up: then it
// returns nil.
func (f Finder) FindUntilSeen(ctx context.Context, s *plan.Step, sent time.Time) (any, error) {
	var found any
	err := f.RetryUntilSeen(ctx, sent, func() (bool, error) {
		var err error
		found, err = f.Find(ctx, s)
		return found != nil, err
	})
	return found, err
}

// RetryUntilSeen calls look until it reports true, or until `consistency` has passed since something
// was sent: for so long the server may not show a new object.
func (f Finder) RetryUntilSeen(ctx context.Context, sent time.Time, look func() (bool, error)) error {
	limit, err := f.Duration(f.Resource.Consistency, DefaultConsistency)
	if err != nil {
		return err
	}
	return stop.Until(ctx, stop.Left(sent.Add(limit), limit), func() {
		f.Log.Status("waiting until what an earlier attempt may have made can be seen")
	}, look)
}

// find runs the resource's `find` and returns what it found as a result of the step, nil if
// there is nothing.
func (f Finder) Find(ctx context.Context, s *plan.Step) (any, error) {
	r := f.Fork(f.Instance.Find, "find")
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
		if found, err = operation.FoundAs(r, s); err == nil {
			err = f.onlyOne(s, found)
		}
	}
	if err == nil && found == nil {
		err = r.NotOnPages(r.Operation.Steps...)
	}
	return found, err
}

// onlyOne returns an error if find found a list of objects with different ids, where the id is that of one of them: the first may
// be somebody else's.
func (f Finder) onlyOne(s *plan.Step, found any) error {
	members, _ := found.(map[string]any)
	list, _ := members[s.Yield].([]any)
	if s != f.Resource.Maker || len(list) < 2 || !f.Resource.IDFromResponses() {
		return nil
	}
	ids := []string{}
	for _, item := range list {
		if _, isObject := item.(map[string]any); !isObject {
			return nil
		}
		if id := f.IDIn(s, s.WithYield([]any{item}, found)); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) < 2 {
		return nil
	}
	return fmt.Errorf("find: %w, with the ids %q and %q, and nothing shows which of them is meant: import the one that is, or remove the other, or look by more in `find`", expr.ErrSeveral, ids[0], ids[1])
}

// DefaultConsistency is the default of `consistency`: how long the server may not show a new object.
const DefaultConsistency = 10 * time.Second

// ResultID returns the id that the response of a create gives, "" if it gives none. The response
// of another step does not change the id.
func (f Finder) ResultID(s *plan.Step, response any) string {
	if s != f.Resource.Maker || f.Verb != plan.Create {
		return f.ID
	}
	return f.IDIn(s, response)
}

// FoundID is resultID for what find found: "" if the id has inputs by which find does not look, since that object may
// have others.
func (f Finder) FoundID(s *plan.Step, found any) string {
	if s == f.Resource.Maker && f.Verb == plan.Create && !f.Resource.IDHasOnlySought() {
		return ""
	}
	return f.ResultID(s, found)
}

// DescribeID returns a phrase with the id of what find found, "" if the id is not known.
func (f Finder) DescribeID(s *plan.Step, found any) string {
	if id := f.FoundID(s, found); id != "" {
		return fmt.Sprintf(" (its id is %q)", id)
	}
	if f.Verb == plan.Create && f.Resource.IDFromResponses() {
		return " (what find returns has no id, so it may be no object: `return` must be the object, or null if there is none)"
	}
	return ""
}
