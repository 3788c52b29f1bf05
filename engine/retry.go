package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// The policy that holds where a spec has no `retry`, or leaves something of it
// open.
const (
	defaultAttempts   = 4
	defaultBackoff    = 500 * time.Millisecond
	defaultMaxBackoff = 30 * time.Second
)

// byDefault is the `retry` of a step that has none.
var byDefault = &plan.Retry{}

// retry reports whether a failed attempt is followed by another one, after
// waiting for it. failures counts those since the last attempt that worked.
//
// What was refused is repeated if the action says that it may succeed then, or
// the spec's retry is about it; what failed, if the spec's retry is about it; and
// what nobody knows the outcome of, only if it may be repeated, or `find` can
// tell: the caller then looks before it sends again.
func (r *run) retry(ctx context.Context, s *plan.Step, v verdict, failures int) (bool, error) {
	if v.status == actions.Unknown && !r.certainty(s).Repeatable() && !r.canLook(s) {
		return false, nil
	}
	asked, err := r.retryAsked(s, v)
	if err != nil {
		return false, err
	}
	byItself := v.again && (v.status == actions.Refused || v.status == actions.Unknown && r.certainty(s).Repeatable())
	if !asked && !byItself {
		return false, nil
	}
	policy := s.Retry
	if policy == nil {
		policy = byDefault
	}
	return r.backOff(ctx, s.Action, policy, v, failures)
}

// retryGroup reports whether all steps of the operation are run again, after
// waiting for it: only after a refusal, so that nothing of the failed step is done
// twice.
func (r *run) retryGroup(ctx context.Context, failure error, failures int) (bool, error) {
	var failed *StepError
	if !errors.As(failure, &failed) || failed.status != actions.Refused {
		return false, nil
	}
	p := r.op.Retry
	v := verdict{status: failed.status, err: failed.Err, class: failed.class}
	asked, err := r.matches(p, v, func(f func() error) error { return f() })
	if err != nil || !asked {
		return false, err
	}
	return r.backOff(ctx, "all steps of "+string(r.verb), p, v, failures)
}

// retryAsked reports whether the step's own `retry` is about this failure.
func (r *run) retryAsked(s *plan.Step, v verdict) (bool, error) {
	if s.Retry == nil || v.final && len(s.Retry.On) == 0 && s.Retry.When == nil {
		return false, nil
	}
	return r.matches(s.Retry, v, func(f func() error) error { return r.WithResult(s, v.value, f) })
}

// matches reports whether a policy is about a failure; in puts its response into
// scope.
func (r *run) matches(p *plan.Retry, v verdict, in func(func() error) error) (asked bool, err error) {
	if len(p.On) > 0 && !slices.Contains(p.On, v.class) {
		return false, nil
	}
	if p.When == nil {
		return true, nil
	}
	err = in(func() error {
		r.Vars.Values["error"] = v.err.Error()
		asked, err = r.Bool(p.When, true)
		return err
	})
	return asked, err
}

// backOff waits before the next attempt, if there is one.
func (r *run) backOff(ctx context.Context, what string, policy *plan.Retry, v verdict, failures int) (bool, error) {
	if stopped(ctx) != nil {
		return false, nil
	}
	attempts, err := r.retryAttempts(policy)
	if err != nil || failures >= attempts {
		return false, err
	}
	delay, err := r.backoff(policy, failures)
	if err != nil {
		return false, err
	}
	delay = max(delay, v.after)
	if end, ok := ctx.Deadline(); ok && time.Now().Add(delay).After(end) {
		return false, fmt.Errorf("there is no time left to try again in %s", delay.Round(time.Millisecond))
	}
	r.log.Status(fmt.Sprintf("%s, attempt %d failed: %v; again in %s", what, failures, v.err, delay.Round(time.Millisecond)))
	return true, wait(ctx, delay)
}

// retryAttempts is how many attempts there are in all, the first one included.
func (r *run) retryAttempts(policy *plan.Retry) (int, error) {
	if policy.Attempts == nil {
		return defaultAttempts, nil
	}
	v, err := r.Eval(policy.Attempts)
	if err != nil {
		return 0, err
	}
	n, ok := whole(v, &spec.Type{Kind: spec.Int}).(int64)
	if !ok || n < 1 {
		return 0, fmt.Errorf("retry.attempts: expected a whole number from 1 on, got %v", v)
	}
	return int(n), nil
}

// backoff is how long to wait after so many failures: doubled each time, up to a
// limit, and somewhat at random, so that many do not come back at once.
func (r *run) backoff(policy *plan.Retry, failures int) (time.Duration, error) {
	first, err := r.Duration(policy.Backoff, defaultBackoff)
	if err != nil {
		return 0, err
	}
	most, err := r.Duration(policy.MaxBackoff, defaultMaxBackoff)
	if err != nil {
		return 0, err
	}
	jitter, err := r.Bool(policy.Jitter, true)
	if err != nil {
		return 0, err
	}
	delay := min(first, most)
	for range failures - 1 {
		if delay = min(2*delay, most); delay == most {
			break
		}
	}
	if jitter && delay > 1 {
		delay = delay/2 + rand.N(delay/2)
	}
	return delay, nil
}
