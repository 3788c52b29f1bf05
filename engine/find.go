package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// lookFirst asks `find`, before the first effect of a create, whether the object
// is there already: then the create is refused, for it is somebody else's. That
// there was nothing is what later allows to take over what this create has made.
func (r *run) lookFirst(ctx context.Context) error {
	if r.verb != plan.Create || r.preview || r.undoing || r.looked || r.resumed && !r.remakes || !r.res.FindFirst {
		return nil
	}
	list, err := r.earlier()
	if err != nil {
		return r.stop(r.res.Maker, 1, actions.Refused, err)
	}
	for _, i := range list {
		if i.Operation == journal.Create && i.Step == r.res.Maker.Index && i.Hash == r.inputsHash() && i.Looked && r.mayTake(i) {
			r.looked = true // an earlier attempt at the same create has found nothing
			return nil
		}
	}
	found, err := r.find(ctx, r.res.Maker)
	if err != nil && !errors.As(err, new(*unlikeError)) { // whatever it is, it is there
		return r.stop(r.res.Maker, 1, actions.Refused, fmt.Errorf("looking whether it exists: %w", err))
	}
	if found != nil {
		remedy := "import it if it is yours, else choose another name"
		by, known := r.engine.tokens.holder(objectOf(r.res, State{ID: r.idGiven(r.res.Maker, found), Inputs: r.given}))
		switch {
		case known && by.resource != holding(r.ref):
			remedy = fmt.Sprintf("it is that of %s, and two resources cannot have one object: choose another name, or remove one of them", by.resource)
		case known:
			remedy = "it is the one that this resource replaces, so say `deleteBeforeReplace: true` in the program's options, or `diff: deleteBeforeReplace: true` in the spec"
		}
		return r.stop(r.res.Maker, 1, actions.Refused,
			fmt.Errorf("it exists already%s, and nothing was sent: %s", r.idOf(r.res.Maker, found), remedy))
	}
	r.looked = true
	return nil
}

// lookAgain looks whether an attempt whose outcome nobody knows has made what it
// should, for as long as that may stay unseen: before the step is sent again. other
// reports that something is there which is not known to be its own.
func (r *run) lookAgain(ctx context.Context, s *plan.Step) (found any, other bool, err error) {
	intent := journal.Intent{Sent: time.Now()}
	found, err = r.lookUntil(ctx, s, intent)
	if err != nil || found == nil {
		return nil, false, err
	}
	why, err := r.notOwn(ctx, s, found, nil, r.given)
	if err != nil || why != "" {
		return nil, true, err
	}
	r.effect(s, verdict{status: actions.Done, value: found})
	return found, false, nil
}

// leftNothing reports whether find finds nothing after an attempt that failed, for as
// long as that may stay unseen: else another attempt would make it twice.
func (r *run) leftNothing(ctx context.Context, s *plan.Step) (bool, error) {
	found, err := r.lookUntil(ctx, s, journal.Intent{Sent: time.Now()})
	if err == nil && found != nil {
		err = fmt.Errorf("it is not tried again, because something is there now%s", r.idOf(s, found))
	}
	return err == nil, err
}

// lookUntil asks find until it finds what an intent made, or until the time is over
// for which that may stay unseen; nil is nothing.
func (r *run) lookUntil(ctx context.Context, s *plan.Step, intent journal.Intent) (any, error) {
	var found any
	err := r.untilSeen(ctx, intent, func() (bool, error) {
		var err error
		found, err = r.find(ctx, s)
		return found != nil, err
	})
	return found, err
}

// untilSeen looks until it sees what an intent made, or until the time is over for which
// that may stay unseen.
func (r *run) untilSeen(ctx context.Context, intent journal.Intent, look func() (bool, error)) error {
	limit, err := r.Duration(r.res.Consistency, defaultConsistency)
	if err != nil {
		return err
	}
	sent := cmp.Or(intent.Sent, intent.Began)
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		left := time.Until(sent.Add(limit)) // now: an answer tells of the time before it came
		if seen, err := look(); err != nil || seen || left <= 0 {
			return err
		}
		r.log.Status("waiting until what an earlier attempt may have made can be seen")
		if err := wait(ctx, min(delay, max(0, time.Until(sent.Add(limit))))); err != nil {
			return err
		}
	}
}

// find runs the resource's `find`: what an earlier attempt made, as the step itself
// would have answered, or nil where there is nothing.
func (r *run) find(ctx context.Context, s *plan.Step) (any, error) {
	finder := *r
	finder.verb, finder.op, finder.results, finder.finished = "find", r.res.Find, nil, nil
	finder.undoing, finder.at, finder.turns, finder.until, finder.cut = false, "", nil, 0, nil
	// Names of the create's steps are none of find's, and the other way round.
	values := maps.Clone(r.Vars.Values)
	for _, name := range append([]string{"steps", "id", "state", "changes", "each"}, plan.AnswerNames...) {
		delete(values, name)
	}
	vars := *r.Vars
	vars.Values = values
	finder.Vars = &vars
	var found any
	err := finder.steps(ctx)
	switch {
	case errors.Is(err, errGone), errors.Is(err, errNotFound) && finder.failed == 0:
		err = finder.notOnPages(finder.op.Steps[finder.failed])
	case err != nil:
		return nil, err
	default:
		found, err = finder.adopted(s)
	}
	if err == nil && found == nil {
		err = finder.notOnPages(finder.op.Steps...)
	}
	return found, err
}

// notOnPages is the error of not finding something by steps of which one has not read all
// that there is: it may be there.
func (r *run) notOnPages(by ...*plan.Step) error {
	for _, s := range by {
		if slices.Contains(r.cut, s.Index) {
			return r.stop(s, 1, actions.Refused, errors.New("it was not found on the pages that were read, and there are more: raise paginate.maxPages, or let the server look for it"))
		}
	}
	return nil
}

// adopted is what find found, in the place of a step's own response: of an http
// step, a `return` is the body.
func (r *run) adopted(s *plan.Step) (any, error) {
	by := plan.Last(r.op.Steps)
	answer, from := r.Vars.Values["result"], by.Yields()
	if r.op.Return != nil {
		found, err := r.Eval(r.op.Return)
		if err != nil {
			return nil, r.stop(by, 1, actions.Refused, fmt.Errorf("return: %w", err))
		}
		answer, from = answering(s, answer, found), r.op.Return.Type()
	}
	if answer == nil {
		return nil, nil
	}
	untyped := r.res.Types.Resolve(from).Kind == spec.Any
	members, ok := answer.(map[string]any)
	switch {
	case !s.Returns && untyped:
		return renameMembers(s, answer), nil // else it has its declared names already
	case !s.Returns || !ok:
		return answer, nil
	}
	// What its step would have given is of the type that this one returns.
	fitting, members := s.Arrives.Hold, maps.Clone(members)
	if untyped {
		fitting = func(v any, path string) (any, error) { return s.Arrives.Receive(v, path, actions.Data) }
	}
	var err error
	if members[s.Yield], err = fitting(members[s.Yield], s.Yield); err != nil {
		err = &unlikeError{err}
	}
	return members, err
}

// unlikeError reports that find has found something that is not of the type of the
// response for which it stands.
type unlikeError struct{ err error }

func (e *unlikeError) Error() string {
	return fmt.Sprintf("something is there, and what `find` gives cannot stand for the response of the create: %v", e.err)
}

func (e *unlikeError) Unwrap() error { return e.err }

// answering is a result of the step that yields a value, with the rest of it from
// another response; nil where the value is.
func answering(s *plan.Step, other, value any) any {
	if value == nil || s.Yield == "" {
		return value
	}
	members, _ := other.(map[string]any)
	out := map[string]any{}
	for _, p := range s.Result.Fields {
		out[p.Name] = members[p.Name]
	}
	out[s.Yield] = value
	return out
}
