package actions

import (
	"context"
	"errors"
	"fmt"
)

// ErrStopped says that something was not started, or no longer waited for, because the host
// cancelled the operation.
var ErrStopped = errors.New("the operation was cancelled")

// errNotSent is the ErrStopped of a step or request that was not started.
var errNotSent = fmt.Errorf("%w before this was sent", ErrStopped)

type stopKey struct{}

// WithStop returns a context in which no new work may start after stop is done. The
// returned context itself is not cancelled by that, so a request that was sent may still
// receive its response. A nil stop removes an earlier one.
func WithStop(ctx, stop context.Context) context.Context {
	return context.WithValue(ctx, stopKey{}, stop)
}

func stopOf(ctx context.Context) context.Context {
	stop, _ := ctx.Value(stopKey{}).(context.Context)
	return stop
}

// StopDone returns a channel that is closed when no new work may start, or nil if the
// context has no stop.
func StopDone(ctx context.Context) <-chan struct{} {
	if stop := stopOf(ctx); stop != nil {
		return stop.Done()
	}
	return nil
}

// StopErr returns an error that wraps ErrStopped if no new work may start, else nil.
func StopErr(ctx context.Context) error {
	if stop := stopOf(ctx); stop != nil && stop.Err() != nil {
		return errNotSent
	}
	return nil
}

// AfterStop calls do in its own goroutine when no new work may start, unless the caller
// calls drop first.
func AfterStop(ctx context.Context, do func()) (drop func() bool) {
	if stop := stopOf(ctx); stop != nil {
		return context.AfterFunc(stop, do)
	}
	return func() bool { return true }
}

// CancelOnStop returns a context that is cancelled when no new work may start. It is for
// work before anything is sent, and for work without an effect.
func CancelOnStop(ctx context.Context) (context.Context, context.CancelFunc) {
	if stopOf(ctx) == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if err := StopErr(ctx); err != nil {
		cancel(err)
		return ctx, func() {}
	}
	drop := AfterStop(ctx, func() { cancel(ErrStopped) })
	return ctx, func() {
		drop()
		cancel(context.Canceled)
	}
}
