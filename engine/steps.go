package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/expr"
)

// The times that hold where a spec says nothing.
const (
	defaultEvery       = 5 * time.Second
	defaultPollTimeout = 20 * time.Minute
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
}

func (e *StepError) Error() string {
	attempt := ""
	if e.Attempt > 1 {
		attempt = fmt.Sprintf(", attempt %d", e.Attempt)
	}
	return fmt.Sprintf("%s failed at %s, %s%s: %v (%s)", e.Verb, e.Step, e.Action, attempt, e.Err, e.Place)
}

func (e *StepError) Unwrap() error { return e.Err }

// stop makes the error of a step.
func (r *run) stop(s *step, attempt int, status actions.Status, err error) error {
	return &StepError{
		Verb: string(r.verb), Step: s.name, Action: s.action, Attempt: attempt,
		Place: s.model.Range.String(), Err: err, status: status,
	}
}

// steps runs the operation from its step first on. After the step that the id
// depends on, a create takes it.
func (r *run) steps(ctx context.Context, first int) error {
	for i := first; i < len(r.op.steps); i++ {
		s := r.op.steps[i]
		if r.preview && !s.model.Preview {
			r.record(s, expr.Unknown{})
			continue
		}
		if r.orphaned(s) {
			r.record(s, nil)
			continue
		}
		value, err := r.step(ctx, s)
		if r.preview && errors.Is(err, errNotKnown) {
			value, err = expr.Unknown{}, nil
		}
		if err != nil {
			r.failed = i
			return err
		}
		r.record(s, value)
		// A create that goes on takes the id anew where its step runs anew.
		if r.verb == create && !r.preview && (i == r.res.idAfter || i > r.res.idAfter && r.id == "") {
			id, err := r.evalID()
			if err != nil {
				r.failed = i
				return r.stop(s, 1, actions.Failed, err)
			}
			if id != "" {
				r.takeID(id)
			}
		}
	}
	return nil
}

// step runs one step: once, or for each element.
func (r *run) step(ctx context.Context, s *step) (any, error) {
	if s.forEach == nil {
		return r.once(ctx, s)
	}
	over, err := r.eval(s.forEach)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	defer delete(r.vars.Values, "each")
	switch over := over.(type) {
	case expr.Unknown:
		return over, nil
	case nil:
		return nil, nil
	case []any:
		out := make([]any, len(over))
		for i, item := range over {
			r.vars.Values["each"] = map[string]any{"key": int64(i), "value": item}
			if out[i], err = r.once(ctx, s); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(over))
		for _, key := range slices.Sorted(mapKeys(over)) {
			r.vars.Values["each"] = map[string]any{"key": key, "value": over[key]}
			if out[key], err = r.once(ctx, s); err != nil {
				return nil, err
			}
		}
		return out, nil
	default:
		return nil, r.stop(s, 1, actions.Refused, fmt.Errorf("forEach yields %s, and a list or a map is wanted", actions.KindOf(over)))
	}
}

// once runs a step's action under its `if`, `lock` and `timeout`.
func (r *run) once(ctx context.Context, s *step) (any, error) {
	wanted, err := r.truth(s.when, true)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if !wanted {
		return nil, nil
	}
	if err := stopped(ctx); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	key, err := r.text(s.lock)
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
	if s.until != nil {
		limit = defaultPollTimeout
	}
	if limit, err = r.duration(s.timeout, limit); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s: %w", limit, context.DeadlineExceeded))
		defer cancel()
	}
	var value any
	if r.journalled(s) {
		value, err = r.intended(ctx, s)
	} else {
		value, err = r.attempts(ctx, s)
	}
	if (r.verb == remove || r.undoing) && isGone(err) {
		return nil, nil // what is not there needs no deleting; the next element may
	}
	return value, err
}

// attempts runs a step's action until it is done: retried where that is safe
// and asked for, polled until `until`.
func (r *run) attempts(ctx context.Context, s *step) (any, error) {
	failures := 0
	for attempt := 1; ; attempt++ {
		if err := stopped(ctx); err != nil {
			return nil, r.stop(s, attempt, actions.Refused, err)
		}
		seen := len(r.secrets.values)
		call, err := r.call(ctx, s, attempt)
		secretSent := len(r.secrets.values) > seen // a secret is among the arguments
		if errors.Is(err, errNotKnown) && r.preview {
			return expr.Unknown{}, nil
		}
		if err != nil {
			return nil, r.stop(s, attempt, actions.Refused, err)
		}
		sendCtx, sent := sending(ctx, r.log, s.effect)
		out := s.kind.Run(sendCtx, call)
		sent()
		r.lost = r.lost || out.Status == actions.Lost || out.Status == actions.Failed
		r.effect(s, out)
		switch out.Status {
		case actions.Done:
			out.Result = s.arrived(out.Result)
			if secretSent {
				r.told(s, out.Result)
			}
			r.tagged(s, out.Result)
			done, err := r.judge(s, out.Result)
			if err != nil {
				return nil, r.stop(s, attempt, statusOf(err, s), err)
			}
			if done {
				return out.Result, nil
			}
			if err := r.pause(ctx, s, out.RetryAfter); err != nil {
				return nil, r.stop(s, attempt, actions.Failed, err)
			}
		case actions.Gone:
			return nil, r.stop(s, attempt, actions.Gone, fmt.Errorf("%w: %w", errNotFound, out.Err))
		default:
			failures++
			again, err := r.retry(ctx, s, out, failures)
			if err != nil || !again {
				return nil, r.stop(s, attempt, out.Status, errors.Join(out.Err, err))
			}
		}
	}
}

// effect notes that a step has changed something, or may have.
func (r *run) effect(s *step, out actions.Outcome) {
	if s.effect != actions.Write || out.Status == actions.Refused || out.Status == actions.Gone || r.undoing {
		return
	}
	r.effected = true
	i := slices.IndexFunc(r.touched, func(t touched) bool { return t.step == s })
	if i < 0 {
		i, r.touched = len(r.touched), append(r.touched, touched{step: s})
	}
	if out.Status == actions.Done {
		r.touched[i].answer = out.Result
	}
}

// isGone reports whether an operation stopped because its object is not there.
func isGone(err error) bool {
	var stopped *StepError
	return errors.As(err, &stopped) && stopped.status == actions.Gone
}

// statusOf is how a step ended whose answer was judged wrong.
func statusOf(err error, s *step) actions.Status {
	switch {
	case errors.Is(err, errGone):
		return actions.Gone
	case s.effect == actions.Write:
		return actions.Failed
	default:
		return actions.Refused
	}
}

// judge applies `fail`, `gone`, `progress` and `until`, in that order, to an
// answer; it reports whether the step is done.
func (r *run) judge(s *step, result any) (done bool, err error) {
	if s.fail == nil && s.gone == nil && s.progress == nil && s.until == nil {
		return true, nil
	}
	err = r.seeing(s, result, func() error {
		done, err = r.verdict(s)
		return err
	})
	return done, err
}

// verdict is what judge says, where the answer is in scope.
func (r *run) verdict(s *step) (bool, error) {
	if text, err := r.text(s.fail); err != nil || text != "" {
		if err == nil {
			err = errors.New(text)
		}
		return false, err
	}
	if gone, err := r.truth(s.gone, false); err != nil || gone {
		if err == nil {
			err = errGone
		}
		return false, err
	}
	if text, err := r.text(s.progress); err != nil {
		return false, err
	} else if text != "" {
		r.log.Status(r.mask().text(text))
	}
	return r.truth(s.until, true)
}

// pause waits until a poll is tried again: as long as the other side asked for,
// else `every`.
func (r *run) pause(ctx context.Context, s *step, asked time.Duration) error {
	every, err := r.duration(s.every, defaultEvery)
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
	case <-actions.Stopping(ctx):
		return ErrStopped
	case <-ctx.Done():
		return cause(ctx)
	}
}
