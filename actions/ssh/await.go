package ssh

import (
	"context"
	"time"
)

// responseWait is how long to wait for a response after a call was cancelled, to learn the
// outcome and to clean up.
const responseWait = 2 * time.Second

// await returns the result of f. If the context ends first, it waits for f a little longer,
// and then returns the cause: a machine that does not respond must not block the call. A
// later result is dropped. f ends when the connection ends, at the latest.
func await[T any](ctx context.Context, wait time.Duration, f func() (T, error), drop func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		v, err := f()
		results <- result{v, err}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case r := <-results:
		return r.value, r.err
	case <-timer.C:
	}
	go func() {
		if r := <-results; r.err == nil {
			drop(r.value)
		}
	}()
	var none T
	return none, context.Cause(ctx)
}
