package run

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
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec"
)

// lookFirst runs `find` before the first effect of a create. If the object exists already, the
// create is refused, because the object is somebody else's. If there is nothing, the create may
// later adopt what find finds after a lost response.
func (r *Run) lookFirst(ctx context.Context) error {
	if r.Verb != plan.Create || r.preview || r.Undoing || r.looked || r.resumed && !r.remakes || !r.res.FindFirst {
		return nil
	}
	list, err := r.book().Earlier()
	if err != nil {
		return r.stop(r.res.Maker, 1, actions.Refused, err)
	}
	for _, i := range list {
		if i.Operation == journal.Create && i.Step == r.res.Maker.Index && i.Hash == r.inputsHash() && i.Looked && r.mayTake(i) {
			r.looked = true // an earlier run of the same create found nothing
			return nil
		}
	}
	found, err := r.find(ctx, r.res.Maker)
	if err != nil && !errors.As(err, new(*unlikeError)) { // an object of another type exists too
		return r.stop(r.res.Maker, 1, actions.Refused, fmt.Errorf("looking whether it exists: %w", err))
	}
	if found != nil {
		remedy := "import it if it is yours, else choose another name"
		by, known := r.rt.Tokens.Owner(recorded.ObjectOf(r.res, recorded.State{ID: r.resultID(r.res.Maker, found), Inputs: r.given}))
		switch {
		case known && by.Resource != recorded.OwnerName(r.ref):
			remedy = fmt.Sprintf("it belongs to %s, and two resources cannot share an object: choose another name, or remove one of them", by.Resource)
		case known:
			remedy = "it is the object that this resource replaces: set `deleteBeforeReplace: true` in the program's options, or `diff: deleteBeforeReplace: true` in the spec"
		}
		return r.stop(r.res.Maker, 1, actions.Refused,
			fmt.Errorf("it exists already%s, and nothing was sent: %s", r.describeID(r.res.Maker, found), remedy))
	}
	r.looked = true
	return nil
}

// lookAgain looks for what an attempt with an unknown outcome may have made, before the step is
// sent again. other is true if something is there that is not known to be its own.
func (r *Run) lookAgain(ctx context.Context, s *plan.Step) (found any, other bool, err error) {
	intent := journal.Intent{Sent: time.Now()}
	found, err = r.lookUntil(ctx, s, intent)
	if err != nil || found == nil {
		return nil, false, err
	}
	why, err := r.notOwn(ctx, s, found, nil, r.given)
	if err != nil || why != "" {
		return nil, true, err
	}
	r.effect(s, verdict.Verdict{Status: actions.Done, Value: found})
	return found, false, nil
}

// leftNothing reports whether find finds nothing after an attempt that failed. If something is
// there, another attempt could make it twice.
func (r *Run) leftNothing(ctx context.Context, s *plan.Step) (bool, error) {
	found, err := r.lookUntil(ctx, s, journal.Intent{Sent: time.Now()})
	if err == nil && found != nil {
		err = fmt.Errorf("it is not retried, because the object exists now%s, and the failed attempt may have made it: "+
			"delete it or import it, then run `pulumi up`", r.describeID(s, found))
	}
	return err == nil, err
}

// lookUntil runs find until it finds what an intent made, or until untilSeen gives up: then it
// returns nil.
func (r *Run) lookUntil(ctx context.Context, s *plan.Step, intent journal.Intent) (any, error) {
	var found any
	err := r.untilSeen(ctx, intent, func() (bool, error) {
		var err error
		found, err = r.find(ctx, s)
		return found != nil, err
	})
	return found, err
}

// untilSeen calls look until it reports true, or until `consistency` has passed since the step
// was sent: for so long the server may not show a new object.
func (r *Run) untilSeen(ctx context.Context, intent journal.Intent, look func() (bool, error)) error {
	limit, err := r.Duration(r.res.Consistency, defaultConsistency)
	if err != nil {
		return err
	}
	sent := cmp.Or(intent.Sent, intent.Began)
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		left := time.Until(sent.Add(limit)) // taken before the request: its response tells of no later time
		if seen, err := look(); err != nil || seen || left <= 0 {
			return err
		}
		r.Log.Status("waiting until what an earlier attempt may have made can be seen")
		if err := stop.Wait(ctx, min(delay, max(0, time.Until(sent.Add(limit))))); err != nil {
			return err
		}
	}
}

// find runs the resource's `find` and returns what it found as a result of the step, nil if
// there is nothing.
func (r *Run) find(ctx context.Context, s *plan.Step) (any, error) {
	finder := *r
	finder.Verb, finder.Operation, finder.results, finder.finished = "find", r.res.Find, nil, nil
	finder.Undoing, finder.at, finder.turns, finder.until, finder.cut = false, "", nil, 0, nil
	// The steps of the create and those of find do not see each other's names.
	values := maps.Clone(r.Vars.Values)
	for _, name := range append([]string{"steps", "id", "state", "changes", "each"}, plan.AnswerNames...) {
		delete(values, name)
	}
	vars := *r.Vars
	vars.Values = values
	finder.Vars = &vars
	var found any
	err := finder.Steps(ctx)
	switch {
	case errors.Is(err, verdict.ErrGone), errors.Is(err, verdict.ErrNotFound) && finder.failed == 0:
		err = finder.notOnPages(finder.Operation.Steps[finder.failed])
	case err != nil:
		return nil, err
	default:
		found, err = finder.adopted(s)
	}
	if err == nil && found == nil {
		err = finder.notOnPages(finder.Operation.Steps...)
	}
	return found, err
}

// notOnPages returns the error of finding nothing by steps of which one did not read all pages:
// the object may be on a later one. It returns nil if all were read.
func (r *Run) notOnPages(by ...*plan.Step) error {
	for _, s := range by {
		if slices.Contains(r.cut, s.Index) {
			return r.stop(s, 1, actions.Refused, errors.New("it was not found on the pages that were read, and there are more: raise paginate.maxPages, or let the server look for it"))
		}
	}
	return nil
}

// adopted returns what find found in the form of the step's own result. For an http step, the
// `return` of find becomes the body.
func (r *Run) adopted(s *plan.Step) (any, error) {
	by := plan.Last(r.Operation.Steps)
	answer, from := r.Vars.Values["result"], by.Yields()
	if r.Operation.Return != nil {
		found, err := r.Eval(r.Operation.Return)
		if err != nil {
			return nil, r.stop(by, 1, actions.Refused, fmt.Errorf("return: %w", err))
		}
		answer, from = answering(s, answer, found), r.Operation.Return.Type()
	}
	if answer == nil {
		return nil, nil
	}
	untyped := r.res.Types.Resolve(from).Kind == spec.Any
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

// answering returns a result of the step that yields a value and has its other members from
// another response. It returns nil if the value is nil.
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

// defaultConsistency is the default of `consistency`: how long the server may not show a new
// object.
const defaultConsistency = 10 * time.Second
