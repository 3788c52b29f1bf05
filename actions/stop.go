package actions

import (
	"context"
	"errors"
	"fmt"
)

// ErrStopped is the error of what was not begun, or not waited for any longer,
// because the host cancelled the operation.
var ErrStopped = errors.New("the operation was cancelled")

// errNotSent is the ErrStopped of a step, or of a request, that was not begun.
var errNotSent = fmt.Errorf("%w before this was sent", ErrStopped)

type stopKey struct{}

// WithStop returns a context in which nothing new is to be begun once stop has
// ended. The context itself goes on: what was sent may be answered. A nil stop
// takes an earlier one away.
func WithStop(ctx, stop context.Context) context.Context {
	return context.WithValue(ctx, stopKey{}, stop)
}

func stopOf(ctx context.Context) context.Context {
	stop, _ := ctx.Value(stopKey{}).(context.Context)
	return stop
}

// Stopping returns a channel that is closed once nothing new is to be begun, or
// nil where nobody can say so.
func Stopping(ctx context.Context) <-chan struct{} {
	if stop := stopOf(ctx); stop != nil {
		return stop.Done()
	}
	return nil
}

// Stopped returns an error that wraps ErrStopped if nothing new is to be begun.
func Stopped(ctx context.Context) error {
	if stop := stopOf(ctx); stop != nil && stop.Err() != nil {
		return errNotSent
	}
	return nil
}

// WhenStopped calls do in a goroutine of its own once nothing new is to be begun,
// unless the caller calls drop before.
func WhenStopped(ctx context.Context, do func()) (drop func() bool) {
	if stop := stopOf(ctx); stop != nil {
		return context.AfterFunc(stop, do)
	}
	return func() bool { return true }
}

// Waiting returns a context for what happens before anything is sent, and for
// what has no effect: it ends as soon as nothing new is to be begun.
func Waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	if stopOf(ctx) == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if err := Stopped(ctx); err != nil {
		cancel(err)
		return ctx, func() {}
	}
	drop := WhenStopped(ctx, func() { cancel(ErrStopped) })
	return ctx, func() {
		drop()
		cancel(context.Canceled)
	}
}
