package operation

import (
	"context"
	"errors"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Undo runs the undo steps of a step with a result, after a failure. Each sees the results of those before it. One
// that uses the result of an undo step that found nothing is skipped, unless it has an `if`. began is true if
// something of the step may have been undone, also if undoing it fails.
func Undo(ctx context.Context, r *Run, s *plan.Step, result any, failure string) (began bool, err error) {
	r.Missed, r.Ran, r.Denied = false, false, nil
	missing := map[*plan.Step]bool{}
	err = r.WithResult(s, result, func() error {
		r.Vars.Values["error"] = failure
		for n, u := range s.Undo {
			var value any
			if u.When != nil || !usesMissing(u, s.Undo[:n], func(of *plan.Step) bool { return missing[of] }) {
				r.Log.Message(Info, "undoing "+s.Name+": "+u.Action)
				before := r.Ran
				r.undoes = s.Undo[:n]
				var err error
				if value, err = r.Loop(ctx, u); err != nil {
					began = before || u.ForEach != nil && r.Ran || StatusOf(err) != actions.Refused
					return err
				}
			}
			missing[u] = value == nil
			r.SetResult(u, value)
		}
		if began = errors.Is(r.Denied, verdict.ErrUntold) && (r.Resource.Read != nil || !errors.Is(r.Denied, verdict.ErrGone)); began {
			return r.Denied
		}
		return nil
	})
	return began, err
}

// before returns the steps before one of a delete or of an undo.
func before(r *Run, s *plan.Step) []*plan.Step {
	if r.Undoing {
		return r.undoes
	}
	return r.Operation.Steps[:s.Index]
}

// errNullToUndo is the error of an undo step that goes through null. Elsewhere, null has no elements; but a create that
// counts as undone is made again, so nothing may be left because a response has another form.
var errNullToUndo = errors.New("forEach is null, so it is not known what is to be undone: if null means that there is nothing, write `?? []`")
