package ssh

import (
	"context"
	"time"
)

// answerWait is how long a machine is still listened to when nobody wants its
// answer any more: to be told what became of the thing, and to clean up.
const answerWait = 2 * time.Second

// within is what f gives, or the cause of the context's end: a machine that has
// stopped answering keeps nobody waiting. What f gives later is dropped; it ends
// with the connection at the latest.
func within[T any](ctx context.Context, wait time.Duration, f func() (T, error), drop func(T)) (T, error) {
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
