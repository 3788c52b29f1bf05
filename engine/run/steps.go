package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// The defaults of `every` and `timeout`.
const (
	defaultEvery       = 5 * time.Second
	defaultPollTimeout = 20 * time.Minute
	DefaultListTimeout = 20 * time.Minute
)

// StepError is the error of an operation that stopped at a step.
type StepError struct {
	// Verb, Step and Action name the operation, its step and the action of the step.
	Verb, Step, Action string
	// Attempt counts from 1.
	Attempt int
	// Place is the position of the step in the spec: file:line:column.
	Place string
	Err   error

	// status is the status of all attempts together.
	status actions.Status
	class  string
	// refused is true if the last attempt was refused, even if an earlier one was not.
	refused bool
}

func (e *StepError) Error() string {
	attempt := ""
	if e.Attempt > 1 {
		attempt = fmt.Sprintf(", attempt %d", e.Attempt)
	}
	return fmt.Sprintf("%s failed at %s, %s%s: %v (%s)", e.Verb, e.Step, e.Action, attempt, e.Err, e.Place)
}

func (e *StepError) Unwrap() error { return e.Err }

// place returns a position in the spec as messages show it. An absolute path loses its
// folders: they are the author's, and mean nothing to who uses the provider.
func place(at diag.Range) string {
	absolute := strings.HasPrefix(at.File, "/") || strings.HasPrefix(at.File, `\`) || strings.Contains(at.File, ":")
	if i := strings.LastIndexAny(at.File, `/\`); i >= 0 && (absolute || strings.Contains(at.File, "..")) {
		at.File = at.File[i+1:]
	}
	return at.String()
}

// stop returns the error of a step.
func (r *Run) stop(s *plan.Step, attempt int, status actions.Status, err error) error {
	return &StepError{
		Verb: string(r.Verb), Step: s.Name, Action: s.Action, Attempt: attempt,
		Place: place(s.Model.Range), Err: err, status: status,
	}
}

// statusOf returns the status of the step at which an operation stopped. It returns Refused
// for an error that is not of a step.
func statusOf(err error) actions.Status {
	var failed *StepError
	if errors.As(err, &failed) {
		return failed.status
	}
	return actions.Refused
}

// Steps runs the steps of the operation that no earlier run has finished. If they fail and
// the operation's `retry` says so, it runs all steps again.
func (r *Run) Steps(ctx context.Context) error {
	if err := r.refuseAhead(ctx); err != nil {
		return err
	}
	r.Vars.Context = ctx
	for failures := 1; ; failures++ {
		err := r.pass(ctx)
		if !r.effected {
			r.Vars.Context = scope.BeforeSending(ctx) // nothing was changed that must be recorded
		}
		if err == nil || r.Operation.Retry == nil || r.preview {
			return err
		}
		var failed *StepError
		if !errors.As(err, &failed) {
			return err
		}
		v := verdict.Verdict{Status: failed.status, Err: failed.Err, Class: failed.class}
		again, because := r.judge().AllAgain(ctx, "all steps of "+string(r.Verb), r.Operation.Retry, v, failures)
		if !again {
			return errors.Join(err, because)
		}
		r.finished, r.elements = nil, nil
		r.book().Reread()
	}
}

// pass runs the unfinished steps once.
func (r *Run) pass(ctx context.Context) error {
	for i, s := range r.Operation.Steps {
		if r.finished[i] {
			continue
		}
		if r.until > 0 && i >= r.until {
			return nil
		}
		if err := r.pastStep(ctx, s); err != nil {
			if r.failed = i; verdict.IsUnfit(err) {
				r.misfit(i)
				if s.ForEach == nil {
					r.failed++ // the next run continues after it
				}
				return err
			}
			return r.lacking(s, err)
		}
		if s.ForEach == nil {
			delete(r.misfits, i)
		}
	}
	return nil
}

// pastStep runs a step and records its result. After the step that the id depends on, a
// create evaluates its id.
func (r *Run) pastStep(ctx context.Context, s *plan.Step) error {
	if r.preview {
		if err := r.refuseStep(ctx, s); err != nil {
			return err
		}
	}
	if r.preview && !s.Model.Preview {
		r.record(s, expr.Unknown{})
		return nil
	}
	if r.orphaned(s) {
		r.record(s, nil)
		return nil
	}
	if s.Effect == actions.Write {
		if err := r.lookFirst(ctx); err != nil {
			return err
		}
		if before, _ := r.journalled(s); before {
			if err := r.findBeforeUpdate(ctx); err != nil {
				return err
			}
		}
	}
	value, err := r.step(ctx, s)
	if r.preview && errors.Is(err, scope.ErrNotKnown) {
		value, err = expr.Unknown{}, nil
	}
	if err != nil && (!verdict.IsUnfit(err) || s.ForEach != nil) {
		r.blame(s, err)
		return err
	}
	r.record(s, value)
	// A create that is resumed evaluates the id again only if that step runs again.
	if r.Verb != plan.Create || r.preview || s.Index < r.res.IDAfter || s.Index > r.res.IDAfter && r.id != "" {
		return err
	}
	id, idErr := r.EvalID()
	if idErr != nil && err == nil {
		return r.stop(s, 1, actions.Failed, idErr)
	}
	if id != "" {
		r.TakeID(id)
	}
	return err
}

// step runs a step once, or once for each element of its `forEach`.
func (r *Run) step(ctx context.Context, s *plan.Step) (any, error) {
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	if s.ForEach == nil {
		return r.once(ctx, s)
	}
	collection, err := r.Evaluate(s.ForEach)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	switch collection.Plain.(type) {
	case expr.Unknown:
		return expr.Unknown{}, nil
	case nil:
		switch s.ForEachKind {
		case spec.List:
			return []any{}, nil
		case spec.Map:
			return map[string]any{}, nil
		}
		return nil, nil
	}
	elements, listed, err := scope.Elements(collection.Marked)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	defer r.Secrets.Forget("each")
	defer delete(r.Vars.Values, "each")
	list, byKey := make([]any, 0, len(elements)), map[string]any{}
	for _, el := range elements {
		value, err := r.element(ctx, s, el)
		// A response that does not have its declared type is kept: what it is about was made.
		if made := err == nil || verdict.IsUnfit(err); made && listed {
			list = append(list, value)
		} else if made {
			byKey[el.Text] = value
		}
		if err != nil {
			r.partly(s, loopResult(listed, list, byKey))
			return nil, err
		}
	}
	return loopResult(listed, list, byKey), nil
}

// loopResult returns the result of a loop: a list for a list, a map for a map.
func loopResult(listed bool, list []any, byKey map[string]any) any {
	if listed {
		return list
	}
	return byKey
}

// element runs a step for one element, or returns the result that an earlier run has for it.
func (r *Run) element(ctx context.Context, s *plan.Step, el scope.Element) (any, error) {
	key := el.Text
	r.at = key
	if el.SecretKey {
		r.at = r.hiddenKey(key) // the journal records it
	}
	defer func() { r.at = "" }()
	if value, done := r.elements[key]; done && r.goesOn == s {
		r.takeTurn(s)
		return value, nil
	}
	r.Set("each", map[string]any{"key": el.Key, "value": el.Value})
	value, err := r.once(ctx, s)
	if err != nil && !verdict.IsUnfit(err) || r.Undoing {
		return value, err
	}
	if r.goesOn != s {
		r.goesOn, r.elements = s, nil
	}
	if r.elements == nil {
		r.elements = map[string]any{}
	}
	r.elements[key] = value
	return value, err
}

// once runs a step's action under its `if`, `lock` and `timeout`.
func (r *Run) once(ctx context.Context, s *plan.Step) (any, error) {
	wanted, err := r.Bool(s.When, true)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if !wanted {
		return nil, nil
	}
	if err := stop.Err(ctx); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	r.ran = true
	key, err := r.Text(s.Lock)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if key != "" {
		release, err := r.rt.locks.acquire(ctx, key)
		if err != nil {
			return nil, r.stop(s, 1, actions.Refused, fmt.Errorf("waiting for lock %q: %w", key, err))
		}
		defer release()
	}
	limit := time.Duration(0)
	if s.Until != nil {
		limit = defaultPollTimeout
	}
	if limit, err = r.Duration(s.Timeout, limit); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, overtime(limit, s))
		defer cancel()
		defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	}
	r.unfit = nil
	value, err := r.settled(ctx, s)
	if err == nil && !r.Undoing {
		err = r.unfit // its intent is settled, and the step fails nevertheless
	}
	if (r.Verb == plan.Delete || r.Undoing) && err != nil && statusOf(err) == actions.Gone {
		r.missed = true
		return nil, nil // this object is gone already; the next element may not be
	}
	return value, err
}

// attempts runs a step's action until it is done: it retries a failed attempt if that is safe
// and `retry` allows it, and polls until `until` is true. doubt is true if an earlier run may
// have done the step already.
func (r *Run) attempts(ctx context.Context, s *plan.Step, doubt bool) (any, error) {
	failures, half := 0, false
	for attempt := 1; ; attempt++ {
		if err := stop.Err(ctx); err != nil {
			return nil, r.stop(s, attempt, r.judge().WithDoubt(actions.Refused, doubt), err)
		}
		v, err := r.attempt(ctx, s, attempt)
		if errors.Is(err, scope.ErrNotKnown) && r.preview {
			return expr.Unknown{}, nil
		}
		if err != nil {
			return nil, r.stop(s, attempt, r.judge().WithDoubt(actions.Refused, doubt), err)
		}
		r.effect(s, v)
		switch {
		case v.Status == actions.Done && !v.Pending:
			if r.unfit = nil; v.Unfit != nil {
				r.unfit = r.stop(s, attempt, actions.Failed, &verdict.UnfitError{Err: v.Unfit})
			}
			return v.Value, nil
		case v.Status == actions.Done:
			failures, doubt = 0, false
			if err := r.pause(ctx, s, v.After); err != nil {
				return nil, r.stop(s, attempt, actions.Failed, err)
			}
			continue
		}
		doubt = doubt || v.Status == actions.Unknown
		// If an earlier attempt failed, a refusal of this one does not undo what that did.
		half = half || v.Status == actions.Failed
		if half && (v.Status == actions.Refused || v.Status == actions.Gone && r.Verb != plan.Delete && !r.Undoing) {
			v.Status = actions.Failed
		}
		failures++
		again, err := r.judge().Again(ctx, s, v, failures, r.certainty(s), r.canLook(s))
		if again && doubt && !s.Certainty.Repeatable() && r.canLook(s) {
			found, other, looked := r.lookAgain(ctx, s)
			switch {
			case looked != nil, other:
				again, err = false, looked
			case found != nil:
				return found, nil
			default:
				doubt, err = false, r.sending.again() // the earlier attempts made nothing
			}
		}
		if again && v.Status == actions.Failed && r.Verb == plan.Create && !r.Undoing && r.res.Finds(s) && !s.Certainty.Repeatable() {
			again, err = r.leftNothing(ctx, s)
		}
		if err != nil || !again {
			return nil, &StepError{
				Verb: string(r.Verb), Step: s.Name, Action: s.Action, Attempt: attempt, Place: place(s.Model.Range),
				Err: errors.Join(v.Err, err), status: r.judge().WithDoubt(v.Status, doubt), class: v.Class, refused: v.Status == actions.Refused || v.Status == actions.Gone,
			}
		}
	}
}

// judge returns the judge of the run's attempts.
func (r *Run) judge() verdict.Judge {
	return verdict.Judge{Scope: &r.Scope, Deletes: r.Verb == plan.Delete || r.Undoing, Show: r.Log.Status}
}

// attempt runs a step's action once, and judges it.
func (r *Run) attempt(ctx context.Context, s *plan.Step, attempt int) (verdict.Verdict, error) {
	known := len(r.Secrets.Values)
	call, err := r.call(ctx, s, attempt)
	if err != nil {
		return verdict.Verdict{}, err
	}
	secretSent := len(r.Secrets.Values) > known // a secret is among the arguments
	defer r.SetContext(r.SetContext(ctx))       // the response is evaluated even after a stop
	// Later templates may pass on as much as the step may read.
	r.Vars.MaxValues = max(r.Vars.MaxValues, call.MaxValues())
	sendCtx, sent := stop.Sending(ctx, r.Log.To.Status, s.Effect)
	out := r.rt.runners.Run(sendCtx, s.Family, s.Kind, call)
	sent()
	v := r.judge().Of(s, out)
	if out.Status == actions.Done {
		r.noteETag(s, out.ETag)
	}
	if out.Cut {
		r.cut = append(r.cut, s.Index)
	}
	if secretSent && v.Status == actions.Done {
		r.markEchoes(s, v.Value)
	}
	return v, nil
}

// overtime returns the error of a step that took longer than its limit.
func overtime(limit time.Duration, s *plan.Step) error {
	what, option := "it", "the step's `timeout`"
	if s.Until != nil {
		what = "the poll"
		if s.Timeout == nil {
			option = "the default; give the step a `timeout` to wait longer"
		}
	}
	return fmt.Errorf("%s took longer than %s (%s): %w", what, limit, option, context.DeadlineExceeded)
}

// pause waits before the next attempt of a poll: for `every`, or for as long as the server
// asked, whichever is longer.
func (r *Run) pause(ctx context.Context, s *plan.Step, asked time.Duration) error {
	every, err := r.Duration(s.Every, defaultEvery)
	if err != nil {
		return err
	}
	return stop.Wait(ctx, max(every, asked))
}

// hiddenKey returns a name for an element of a secret map that does not contain its key.
func (r *Run) hiddenKey(key string) string {
	sum, _ := r.rt.records.hash(key)
	return "secret-" + sum[:16]
}
