package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
)

// An operation is cancelled in two steps. The first stops it: nothing new is sent,
// waits end at once, and what was sent may still be answered, but only for a
// while. The second aborts it: its context ends, with ErrAborted as the cause.

var (
	// ErrStopped is wrapped by the error of an operation that did not go on because
	// it was stopped.
	ErrStopped = actions.ErrStopped
	// ErrAborted is the cause of the context of an operation that was aborted.
	ErrAborted = errors.New("the operation was cancelled again, and so not waited for")
)

// DefaultGrace is how long a response is waited for once an operation is stopped.
const DefaultGrace = 10 * time.Second

// Stops are the ways in which a host ends an operation.
type Stops struct {
	// Stop ends when nothing new may be sent.
	Stop context.Context
	// Abort ends when nothing may be waited for any longer. With the cause ErrAborted
	// it ends the undo steps that run by then, too.
	Abort context.Context
	// Grace is how long a response is waited for after Stop.
	Grace time.Duration
}

type stopsKey struct{}

// Stoppable returns a context with which the engine's operations can be stopped
// and aborted. The caller calls release at the end of the operation.
func Stoppable(ctx context.Context, s Stops) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	drop := context.AfterFunc(s.Abort, func() { cancel(context.Cause(s.Abort)) })
	ctx = context.WithValue(actions.WithStop(ctx, s.Stop), stopsKey{}, &s)
	return ctx, func() {
		drop()
		cancel(context.Canceled)
	}
}

// Stopped reports whether the operation of a context from Stoppable was stopped.
func Stopped(ctx context.Context) bool { return actions.Stopped(ctx) != nil }

// stopped returns the error of a step that must not begin, because the operation
// was stopped or its context has ended; nil of one that may.
func stopped(ctx context.Context) error {
	if ctx.Err() != nil {
		return cause(ctx)
	}
	return actions.Stopped(ctx)
}

// waiting returns a context that ends as soon as the operation is stopped: for
// waits, and for what has no effect.
func waiting(ctx context.Context) (context.Context, context.CancelFunc) { return actions.Waiting(ctx) }

// sending returns the context of one run of a step's action. An action without an
// effect ends as soon as the operation is stopped. One with an effect goes on
// until it is answered, but not beyond the grace; the log shows that it is waited
// for.
func sending(ctx context.Context, log Log, effect actions.Effect) (context.Context, context.CancelFunc) {
	if effect != actions.Write {
		return waiting(ctx)
	}
	s, _ := ctx.Value(stopsKey{}).(*Stops)
	if s == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	drop := actions.WhenStopped(ctx, func() {
		if ctx.Err() != nil {
			return
		}
		log.Status(fmt.Sprintf("cancelling: waiting up to %s for the response; cancel again to abort", s.Grace))
		timer := time.NewTimer(s.Grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("%w, and no response came within %s", ErrStopped, s.Grace))
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		drop()
		cancel(context.Canceled)
	}
}

// undoing returns the context in which an operation is undone: neither its end nor
// its timeout nor what stopped it ends that, but only the limit, and an abort that
// comes while it runs.
func undoing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	s, _ := ctx.Value(stopsKey{}).(*Stops)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	if s == nil {
		return ctx, cancel
	}
	ctx = context.WithValue(actions.WithStop(ctx, nil), stopsKey{}, (*Stops)(nil))
	if s.Abort.Err() != nil {
		return ctx, cancel
	}
	ctx, abort := context.WithCancelCause(ctx)
	drop := context.AfterFunc(s.Abort, func() {
		if err := context.Cause(s.Abort); errors.Is(err, ErrAborted) {
			abort(err)
		}
	})
	return ctx, func() {
		drop()
		cancel()
	}
}
