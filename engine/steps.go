package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/expr"
)

// The times that hold where a spec says nothing.
const (
	defaultEvery       = 5 * time.Second
	defaultPollTimeout = 20 * time.Minute
	defaultAttempts    = 4
	defaultBackoff     = 500 * time.Millisecond
	defaultMaxBackoff  = 30 * time.Second
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
		value, err := r.step(ctx, s)
		if err != nil && r.verb == remove && isGone(err) {
			err = nil // what is not there needs no deleting
		}
		if err != nil {
			r.failed = i
			return err
		}
		r.record(s, value)
		if r.verb == create && !r.preview && i >= r.res.idAfter && r.id == "" {
			id, err := r.evalID()
			if err != nil {
				r.failed = i
				return r.stop(s, 1, actions.Failed, err)
			}
			r.takeID(id)
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
		return nil, r.stop(s, 1, actions.Refused, fmt.Errorf("forEach yields %s, and a list or a map is wanted", kindOfPlain(over)))
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
	return r.attempts(ctx, s)
}

// attempts runs a step's action until it is done: retried where that is safe
// and asked for, polled until `until`.
func (r *run) attempts(ctx context.Context, s *step) (any, error) {
	failures := 0
	for attempt := 1; ; attempt++ {
		if ctx.Err() != nil {
			return nil, r.stop(s, attempt, actions.Refused, cause(ctx))
		}
		call, err := r.call(ctx, s)
		if errors.Is(err, errNotKnown) && r.preview {
			return expr.Unknown{}, nil
		}
		if err != nil {
			return nil, r.stop(s, attempt, actions.Refused, err)
		}
		out := s.kind.Run(ctx, call)
		r.effect(s, out.Status)
		switch out.Status {
		case actions.Done:
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
func (r *run) effect(s *step, status actions.Status) {
	if s.effect != actions.Write || status == actions.Refused || status == actions.Gone {
		return
	}
	r.effected = true
	if !slices.Contains(r.touched, s) {
		r.touched = append(r.touched, s)
	}
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
func (r *run) judge(s *step, result any) (bool, error) {
	if s.fail == nil && s.gone == nil && s.progress == nil && s.until == nil {
		return true, nil
	}
	before := r.vars.Values["result"]
	r.see(s, result)
	defer func() { r.vars.Values["result"] = before }()
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

// retry reports whether a failed attempt may be made again, after waiting for
// it. An attempt that may have changed something is repeated only where the
// spec's `retry` says so, and never where nobody knows what it did.
func (r *run) retry(ctx context.Context, s *step, out actions.Outcome, failures int) (bool, error) {
	if s.retry == nil || out.Status == actions.Lost && s.effect == actions.Write {
		return false, nil
	}
	attempts := int64(defaultAttempts)
	if s.retry.attempts != nil {
		v, err := r.eval(s.retry.attempts)
		if err != nil {
			return false, err
		}
		attempts, _ = v.(int64)
	}
	if int64(failures) >= attempts {
		return false, nil
	}
	if len(s.retry.on) > 0 && !slices.Contains(s.retry.on, out.Class) {
		return false, nil
	}
	if s.retry.when != nil {
		r.vars.Values["error"] = out.Err.Error()
		again, err := r.truth(s.retry.when, true)
		delete(r.vars.Values, "error")
		if err != nil || !again {
			return false, err
		}
	}
	delay, err := r.backoff(s, failures)
	if err != nil {
		return false, err
	}
	delay = max(delay, out.RetryAfter)
	r.log.Status(r.mask().text(fmt.Sprintf("%s, attempt %d failed: %v; again in %s", s.action, failures, out.Err, delay.Round(time.Millisecond))))
	return true, wait(ctx, delay)
}

// backoff is how long to wait after so many failures: doubled each time, up to a
// limit, and somewhat at random, so that many do not come back at once.
func (r *run) backoff(s *step, failures int) (time.Duration, error) {
	first, err := r.duration(s.retry.backoff, defaultBackoff)
	if err != nil {
		return 0, err
	}
	most, err := r.duration(s.retry.maxBackoff, defaultMaxBackoff)
	if err != nil {
		return 0, err
	}
	jitter, err := r.truth(s.retry.jitter, true)
	if err != nil {
		return 0, err
	}
	delay := min(first<<min(failures-1, 20), most)
	if jitter && delay > 1 {
		delay = delay/2 + rand.N(delay/2)
	}
	return delay, nil
}

// wait returns after d, or when ctx ends, with its cause.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return cause(ctx)
	}
}
