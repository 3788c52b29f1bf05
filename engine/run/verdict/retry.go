package verdict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
)

// The defaults for members that a `retry` lacks.
const (
	defaultAttempts   = 4
	defaultBackoff    = 500 * time.Millisecond
	defaultMaxBackoff = 30 * time.Second
)

// defaultRetry is the `retry` of a step that has none.
var defaultRetry = &plan.Retry{}

// Again reports whether another attempt follows a failed one, after waiting for it. failures
// counts the failures since the last attempt that worked.
//
// A refusal is retried if the action expects the next attempt to succeed, or if the spec's
// retry covers it; a failure, if the spec's retry covers it. An attempt of unknown outcome is
// retried only if certainty says that it may be repeated, or if find can tell what came of it:
// the caller then looks before it sends again.
func (j Judge) Again(ctx context.Context, s *plan.Step, v Verdict, failures int, certainty actions.Certainty, finds bool) (bool, error) {
	if v.Status == actions.Unknown && !certainty.Repeatable() && !finds {
		return false, nil
	}
	asked, err := j.retryCovers(s, v)
	if err != nil {
		return false, err
	}
	byItself := v.again && (v.Status == actions.Refused || v.Status == actions.Unknown && certainty.Repeatable())
	if !asked && !byItself {
		return false, nil
	}
	policy := s.Retry
	if policy == nil {
		policy = defaultRetry
	}
	return j.backOff(ctx, s.Action, policy, v, failures)
}

// AllAgain reports whether all steps of an operation are run again after a failure of one of
// them, after waiting for it; what names them to the user. Only a refusal is retried, so that
// nothing of the failed step is done twice.
func (j Judge) AllAgain(ctx context.Context, what string, policy *plan.Retry, v Verdict, failures int) (bool, error) {
	if v.Status != actions.Refused {
		return false, nil
	}
	asked, err := j.matches(policy, v, func(f func() error) error { return f() })
	if err != nil || !asked {
		return false, err
	}
	return j.backOff(ctx, what, policy, v, failures)
}

// retryCovers reports whether the `retry` of a step covers the failure.
func (j Judge) retryCovers(s *plan.Step, v Verdict) (bool, error) {
	if s.Retry == nil || s.Retry.OnlyRefused && v.Status != actions.Refused || v.final && len(s.Retry.On) == 0 && s.Retry.When == nil {
		return false, nil
	}
	return j.matches(s.Retry, v, func(f func() error) error { return j.withResponse(s, v.Value, f) })
}

// matches reports whether a policy covers a failure. in calls a function with the
// response of the failure in scope.
func (j Judge) matches(p *plan.Retry, v Verdict, in func(func() error) error) (asked bool, err error) {
	if len(p.On) > 0 && !slices.Contains(p.On, v.Class) {
		return false, nil
	}
	if p.When == nil {
		return true, nil
	}
	err = in(func() error {
		j.Vars.Values["error"] = v.Err.Error()
		asked, err = j.Bool(p.When, true)
		return err
	})
	return asked, err
}

// backOff waits before the next attempt, if there is one.
func (j Judge) backOff(ctx context.Context, what string, policy *plan.Retry, v Verdict, failures int) (bool, error) {
	if stop.Err(ctx) != nil {
		return false, nil
	}
	attempts, err := j.retryAttempts(policy)
	if err != nil || failures >= attempts {
		return false, err
	}
	delay, err := j.backoff(policy, failures)
	if err != nil {
		return false, err
	}
	delay = max(delay, v.After)
	if end, ok := ctx.Deadline(); ok && time.Now().Add(delay).After(end) {
		return false, fmt.Errorf("no time is left for another attempt in %s", delay.Round(time.Millisecond))
	}
	j.Show(fmt.Sprintf("%s, attempt %d failed: %v; again in %s", what, failures, v.Err, delay.Round(time.Millisecond)))
	return true, stop.Wait(ctx, delay)
}

// retryAttempts returns the maximum number of attempts, including the first.
func (j Judge) retryAttempts(policy *plan.Retry) (int, error) {
	if policy.Attempts == nil {
		return defaultAttempts, nil
	}
	v, err := j.Eval(policy.Attempts)
	if err != nil {
		return 0, err
	}
	n, ok := value.Whole(v)
	if !ok || n < 1 {
		return 0, fmt.Errorf("retry.attempts: expected a positive integer, got %v", v)
	}
	return int(n), nil
}

// backoff returns the delay after a number of failures. It doubles each time up to a
// limit, and is randomized so that many clients do not retry at the same time.
func (j Judge) backoff(policy *plan.Retry, failures int) (time.Duration, error) {
	first, err := j.Duration(policy.Backoff, defaultBackoff)
	if err != nil {
		return 0, err
	}
	most, err := j.Duration(policy.MaxBackoff, defaultMaxBackoff)
	if err != nil {
		return 0, err
	}
	jitter, err := j.Bool(policy.Jitter, true)
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
