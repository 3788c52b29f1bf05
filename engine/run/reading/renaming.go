package reading

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// The response to an update may be about something else than the object: a job, a revision, a parent. Its id
// may be that of an object of somebody else, which the next update would overwrite.

// Renaming is the question whether an update has given an object the id that its response names.
type Renaming struct {
	// Was and Now are the ids before and in the response.
	Was, Now string
	// Sent is the update.
	Sent compare.Sent
	// Read reads what has an id. It returns the state as which that was read, too.
	Read func(id string) (r Reading, as recorded.State, yield any, err error)
}

// ErrUnlike is the error of Confirm if what was read speaks against the new id.
var ErrUnlike = errors.New("it does not have the id")

// unlikeError is an ErrUnlike that says why.
type unlikeError string

func (e unlikeError) Error() string { return string(e) }

func (unlikeError) Is(target error) bool { return target == ErrUnlike }

// Confirm reads what has the former id, and if that is gone, what has the new one, and reports whether the new one is
// that of the object. It returns an error if nothing tells, which is verdict.ErrGone if read finds neither.
func (n Renaming) Confirm(ctx context.Context) (renamed bool, err error) {
	_, seen, _, err := n.seen(n.Was)
	switch {
	case errors.Is(err, verdict.ErrGone):
	case err != nil:
		return false, fmt.Errorf("reading %q, which would tell whether it has it, failed: %w", n.Was, err)
	case seen.ID == n.Was || seen.ID == n.Now:
		return seen.ID == n.Now, nil // a server may redirect the former name
	default:
		return false, unlikeError(fmt.Sprintf("reading %q shows %q", n.Was, seen.ID))
	}
	r, seen, unread, err := n.seen(n.Now)
	if err != nil {
		return false, fmt.Errorf("%q is gone, and reading %q failed: %w", n.Was, n.Now, err)
	}
	differs, same := r.CompareStable(n.Sent.Before, *seen)
	if differs != "" || !n.Sent.Confirms(ctx, seen.Inputs, unread, same) {
		return false, unlikeError(fmt.Sprintf("%q is gone, and what has the id %q does not show what was sent", n.Was, n.Now))
	}
	return true, nil
}

// seen reads what has an id. It returns what was seen of it, and the inputs that read does not show.
func (n Renaming) seen(id string) (r Reading, seen *recorded.State, unread []string, err error) {
	r, as, yield, err := n.Read(id)
	if err != nil {
		return r, nil, nil, err
	}
	as.Private.Lookup = true // another id is no error here
	seen, err = r.State(as, yield, false)
	if seen == nil {
		return r, nil, nil, err
	}
	return r, seen, r.Unread(as, yield), nil
}

// Shown returns what a read shows of a step of an update.
func (r Reading) Shown(as recorded.State, yield any, of compare.Sent, op *plan.Operation, s *plan.Step) compare.Shown {
	seen, err := r.State(as, yield, false)
	if seen == nil || err != nil {
		return compare.Unclear
	}
	return of.OfStep(r.Vars.Context, op, s, seen.Inputs, r.Unread(as, yield))
}
