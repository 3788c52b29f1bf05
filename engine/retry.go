package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
)

// The policy that holds where a spec has no `retry`, or leaves something of it
// open.
const (
	defaultAttempts   = 4
	defaultBackoff    = 500 * time.Millisecond
	defaultMaxBackoff = 30 * time.Second
)

// byDefault is the `retry` of a step that has none: it serves only attempts of
// which the action says that they may be made again.
var byDefault = &retry{}

// retry reports whether a failed attempt may be made again, after waiting for
// it. One that may have changed something is repeated only where the action says
// that this is safe, or the spec's `retry` asks for it; and where nobody knows
// what it did, only where it is safe.
func (r *run) retry(ctx context.Context, s *step, out actions.Outcome, failures int) (bool, error) {
	if stopped(ctx) != nil {
		return false, nil
	}
	policy := s.retry
	if policy == nil {
		policy = byDefault
	}
	if !out.Again {
		asked, err := r.retryAsked(s, out)
		if err != nil || !asked {
			return false, err
		}
	}
	attempts, err := r.retryAttempts(policy)
	if err != nil || failures >= attempts {
		return false, err
	}
	delay, err := r.backoff(policy, failures)
	if err != nil {
		return false, err
	}
	delay = max(delay, out.RetryAfter)
	if end, ok := ctx.Deadline(); ok && time.Now().Add(delay).After(end) {
		return false, fmt.Errorf("there is no time left to try again in %s", delay.Round(time.Millisecond))
	}
	r.log.Status(r.mask().text(fmt.Sprintf("%s, attempt %d failed: %v; again in %s", s.action, failures, out.Err, delay.Round(time.Millisecond))))
	return true, wait(ctx, delay)
}

// retryAsked reports whether the spec's `retry` is about this failure.
func (r *run) retryAsked(s *step, out actions.Outcome) (asked bool, err error) {
	switch {
	case s.retry == nil || out.Status == actions.Lost && s.effect == actions.Write:
		return false, nil
	case len(s.retry.on) > 0 && !slices.Contains(s.retry.on, out.Class):
		return false, nil
	case s.retry.when == nil:
		return true, nil
	}
	err = r.seeing(s, out.Result, func() error {
		r.vars.Values["error"] = out.Err.Error()
		asked, err = r.truth(s.retry.when, true)
		return err
	})
	return asked, err
}

func (r *run) retryAttempts(policy *retry) (int, error) {
	if policy.attempts == nil {
		return defaultAttempts, nil
	}
	v, err := r.eval(policy.attempts)
	n, _ := v.(int64)
	return int(n), err
}

// backoff is how long to wait after so many failures: doubled each time, up to a
// limit, and somewhat at random, so that many do not come back at once.
func (r *run) backoff(policy *retry, failures int) (time.Duration, error) {
	first, err := r.duration(policy.backoff, defaultBackoff)
	if err != nil {
		return 0, err
	}
	most, err := r.duration(policy.maxBackoff, defaultMaxBackoff)
	if err != nil {
		return 0, err
	}
	jitter, err := r.truth(policy.jitter, true)
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
