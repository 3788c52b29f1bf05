package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// The times that hold where a spec says nothing.
const (
	defaultEvery       = 5 * time.Second
	defaultPollTimeout = 20 * time.Minute
	defaultListTimeout = 20 * time.Minute
)

// StepError says at which step an operation stopped.
type StepError struct {
	// Verb is the operation, Step and Action say where in it.
	Verb, Step, Action string
	// Attempt counts from 1.
	Attempt int
	// Place is where the step stands in the spec: file:line:column.
	Place string
	Err   error

	status actions.Status
	class  string
	// refused says that the last attempt was, whatever became of those before.
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

// place returns where something stands in the spec, for those who use the provider: the
// author's folders are not theirs.
func place(at diag.Range) string {
	absolute := strings.HasPrefix(at.File, "/") || strings.HasPrefix(at.File, `\`) || strings.Contains(at.File, ":")
	if i := strings.LastIndexAny(at.File, `/\`); i >= 0 && (absolute || strings.Contains(at.File, "..")) {
		at.File = at.File[i+1:]
	}
	return at.String()
}

// stop makes the error of a step.
func (r *run) stop(s *plan.Step, attempt int, status actions.Status, err error) error {
	return &StepError{
		Verb: string(r.verb), Step: s.Name, Action: s.Action, Attempt: attempt,
		Place: place(s.Model.Range), Err: err, status: status,
	}
}

// statusOf is how the step ended that an operation stopped at; Refused where the
// error is of no step.
func statusOf(err error) actions.Status {
	var failed *StepError
	if errors.As(err, &failed) {
		return failed.status
	}
	return actions.Refused
}

// steps runs the operation's steps, but those that an earlier run has finished;
// all of them again where its `retry` says so.
func (r *run) steps(ctx context.Context) error {
	if err := r.refuseAhead(ctx); err != nil {
		return err
	}
	r.Vars.Context = ctx
	for failures := 1; ; failures++ {
		err := r.pass(ctx)
		if !r.effected {
			r.Vars.Context = scope.BeforeSending(ctx) // nothing has come of it that must be told
		}
		if err == nil || r.op.Retry == nil || r.preview {
			return err
		}
		again, because := r.retryGroup(ctx, err, failures)
		if !again {
			return errors.Join(err, because)
		}
		r.finished, r.elements, r.left = nil, nil, nil
	}
}

// pass runs the steps once. After the step that the id depends on, a create takes
// it.
func (r *run) pass(ctx context.Context) error {
	for i, s := range r.op.Steps {
		if r.finished[i] {
			continue
		}
		if r.until > 0 && i >= r.until {
			return nil
		}
		if err := r.pastStep(ctx, s); err != nil {
			if r.failed = i; unfit(err) {
				r.misfit(i)
				if s.ForEach == nil {
					r.failed++ // the next run goes on behind it
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

// pastStep runs a step and records its result.
func (r *run) pastStep(ctx context.Context, s *plan.Step) error {
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
			if err := r.lookBefore(ctx); err != nil {
				return err
			}
		}
	}
	value, err := r.step(ctx, s)
	if r.preview && errors.Is(err, scope.ErrNotKnown) {
		value, err = expr.Unknown{}, nil
	}
	if err != nil && (!unfit(err) || s.ForEach != nil) {
		r.blame(s, err)
		return err
	}
	r.record(s, value)
	// A create that goes on takes the id anew where its step runs anew.
	if r.verb != plan.Create || r.preview || s.Index < r.res.IDAfter || s.Index > r.res.IDAfter && r.id != "" {
		return err
	}
	id, idErr := r.evalID()
	if idErr != nil && err == nil {
		return r.stop(s, 1, actions.Failed, idErr)
	}
	if id != "" {
		r.takeID(id)
	}
	return err
}

// step runs one step: once, or for each element.
func (r *run) step(ctx context.Context, s *plan.Step) (any, error) {
	defer r.EndWith(r.EndWith(scope.BeforeSending(ctx)))
	if s.ForEach == nil {
		return r.once(ctx, s)
	}
	over, err := r.Evaluate(s.ForEach)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	switch over.Plain.(type) {
	case expr.Unknown:
		return expr.Unknown{}, nil
	case nil:
		switch s.Over {
		case spec.List:
			return []any{}, nil
		case spec.Map:
			return map[string]any{}, nil
		}
		return nil, nil
	}
	elements, listed, err := scope.Elements(over.Marked)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	defer r.Secrets.Forget("each")
	defer delete(r.Vars.Values, "each")
	list, byKey := make([]any, 0, len(elements)), map[string]any{}
	for _, el := range elements {
		value, err := r.element(ctx, s, el)
		if made := err == nil || unfit(err); made && listed {
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

// loopResult is what a loop over a list yields, or over a map.
func loopResult(listed bool, list []any, byKey map[string]any) any {
	if listed {
		return list
	}
	return byKey
}

// element runs a step for one element, unless an earlier run has done that.
func (r *run) element(ctx context.Context, s *plan.Step, el scope.Element) (any, error) {
	key := el.Text
	r.at = key
	if el.SecretKey {
		r.at = r.hiddenKey(key) // the journal names the element
	}
	defer func() { r.at = "" }()
	if value, done := r.elements[key]; done && r.goesOn == s {
		r.takeTurn(s)
		return value, nil
	}
	r.Set("each", map[string]any{"key": el.Key, "value": el.Value})
	value, err := r.once(ctx, s)
	if err != nil && !unfit(err) || r.undoing {
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

// partly makes what a forEach has done so far what its undo steps see.
func (r *run) partly(s *plan.Step, results any) {
	if r.undoing {
		return
	}
	for _, t := range r.touched {
		if t.step == s {
			t.answer = results
		}
	}
}

// once runs a step's action under its `if`, `lock` and `timeout`.
func (r *run) once(ctx context.Context, s *plan.Step) (any, error) {
	wanted, err := r.Bool(s.When, true)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if !wanted {
		return nil, nil
	}
	if err := stopped(ctx); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	r.ran = true
	key, err := r.Text(s.Lock)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if key != "" {
		release, err := r.engine.program.locks.acquire(ctx, key)
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
		defer r.EndWith(r.EndWith(scope.BeforeSending(ctx)))
	}
	r.unfit = nil
	value, err := r.settled(ctx, s)
	if err == nil && !r.undoing {
		err = r.unfit // what was done is settled, and the step fails all the same
	}
	if (r.verb == plan.Delete || r.undoing) && err != nil && statusOf(err) == actions.Gone {
		r.missed = true
		return nil, nil // what is not there needs no deleting; the next element may
	}
	return value, err
}

// attempts runs a step's action until it is done: retried where that is safe
// and asked for, polled until `until`. With doubt an earlier run may have done it
// already.
func (r *run) attempts(ctx context.Context, s *plan.Step, doubt bool) (any, error) {
	failures, half := 0, false
	for attempt := 1; ; attempt++ {
		if err := stopped(ctx); err != nil {
			return nil, r.stop(s, attempt, r.doubted(actions.Refused, doubt), err)
		}
		v, err := r.attempt(ctx, s, attempt)
		if errors.Is(err, scope.ErrNotKnown) && r.preview {
			return expr.Unknown{}, nil
		}
		if err != nil {
			return nil, r.stop(s, attempt, r.doubted(actions.Refused, doubt), err)
		}
		r.effect(s, v)
		switch {
		case v.status == actions.Done && !v.pending:
			if r.unfit = nil; v.unfit != nil {
				r.unfit = r.stop(s, attempt, actions.Failed, &unfitError{v.unfit})
			}
			return v.value, nil
		case v.status == actions.Done:
			failures, doubt = 0, false
			if err := r.pause(ctx, s, v.after); err != nil {
				return nil, r.stop(s, attempt, actions.Failed, err)
			}
			continue
		}
		doubt = doubt || v.status == actions.Unknown
		// What was refused after an attempt that failed is not refused as a whole.
		half = half || v.status == actions.Failed
		if half && (v.status == actions.Refused || v.status == actions.Gone && r.verb != plan.Delete && !r.undoing) {
			v.status = actions.Failed
		}
		failures++
		again, err := r.retry(ctx, s, v, failures)
		if again && doubt && !s.Certainty.Repeatable() && r.canLook(s) {
			found, other, looked := r.lookAgain(ctx, s)
			switch {
			case looked != nil, other:
				again, err = false, looked
			case found != nil:
				return found, nil
			default:
				doubt, err = false, r.sendsAgain() // nothing came of it
			}
		}
		if again && v.status == actions.Failed && r.verb == plan.Create && !r.undoing && r.res.Finds(s) && !s.Certainty.Repeatable() {
			again, err = r.leftNothing(ctx, s)
		}
		if err != nil || !again {
			return nil, &StepError{
				Verb: string(r.verb), Step: s.Name, Action: s.Action, Attempt: attempt, Place: place(s.Model.Range),
				Err: errors.Join(v.err, err), status: r.doubted(v.status, doubt), class: v.class, refused: v.status == actions.Refused || v.status == actions.Gone,
			}
		}
	}
}

// attempt runs a step's action once, and judges it.
func (r *run) attempt(ctx context.Context, s *plan.Step, attempt int) (verdict, error) {
	seen := len(r.Secrets.Values)
	call, err := r.call(ctx, s, attempt)
	if err != nil {
		return verdict{}, err
	}
	secretSent := len(r.Secrets.Values) > seen // a secret is among the arguments
	defer r.EndWith(r.EndWith(ctx))            // what is sent may be answered
	// What the step may read, the templates behind it may hand on.
	r.Vars.MaxValues = max(r.Vars.MaxValues, call.MaxValues())
	sendCtx, sent := sending(ctx, r.log.to, s.Effect)
	out := r.engine.runners.Run(sendCtx, s.Family, s.Kind, call)
	sent()
	v := r.judge(s, out)
	if out.Cut {
		r.cut = append(r.cut, s.Index)
	}
	if secretSent && v.status == actions.Done {
		r.markEchoes(s, v.value)
	}
	return v, nil
}

// overtime is the error of a step that took longer than it may.
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

// pause waits until a poll is tried again: as long as the other side asked for,
// else `every`.
func (r *run) pause(ctx context.Context, s *plan.Step, asked time.Duration) error {
	every, err := r.Duration(s.Every, defaultEvery)
	if err != nil {
		return err
	}
	return wait(ctx, max(every, asked))
}

// wait returns after d, or with an error when ctx ends or the operation is stopped.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-actions.StopDone(ctx):
		return ErrStopped
	case <-ctx.Done():
		return scope.Cause(ctx)
	}
}

// hiddenKey stands for the key of a secret map wherever a loop's element is named.
func (r *run) hiddenKey(key string) string {
	sum, _ := r.engine.keyed(key)
	return "secret-" + sum[:16]
}
