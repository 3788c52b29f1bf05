package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/screen"
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

// stopping is what an operation knows of its own end.
type stopping struct {
	grace time.Duration
	// whole is the operation's context, without the limits of its parts.
	whole context.Context
}

type stoppingKey struct{}

// Stoppable returns a context with which an operation is stopped once stop has
// ended: a response is then waited for as long as the grace. The operation is
// aborted by the end of ctx, as a whole; with the cause ErrAborted that ends the
// undo steps that run by then, too.
func Stoppable(ctx, stop context.Context, grace time.Duration) context.Context {
	return context.WithValue(actions.WithStop(ctx, stop), stoppingKey{}, &stopping{grace: grace, whole: ctx})
}

func stoppingOf(ctx context.Context) *stopping {
	s, _ := ctx.Value(stoppingKey{}).(*stopping)
	return s
}

// Stopped reports whether the operation of a context from Stoppable was stopped.
func Stopped(ctx context.Context) bool { return actions.StopErr(ctx) != nil }

// stopped returns the error of a step that must not begin, because the operation
// was stopped or its context has ended; nil of one that may.
func stopped(ctx context.Context) error {
	if ctx.Err() != nil {
		return scope.Cause(ctx)
	}
	return actions.StopErr(ctx)
}

// waiting returns a context that ends as soon as the operation is stopped: for
// waits, and for what has no effect.
func waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	return actions.CancelOnStop(ctx)
}

// sending returns the context of one run of a step's action. An action without an
// effect ends as soon as the operation is stopped. One with an effect goes on
// until it is answered, but not beyond the grace; the log shows that it is waited
// for.
func sending(ctx context.Context, log Log, effect actions.Effect) (context.Context, context.CancelFunc) {
	if effect != actions.Write {
		return waiting(ctx)
	}
	s := stoppingOf(ctx)
	if s == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	drop := actions.AfterStop(ctx, func() {
		if ctx.Err() != nil {
			return
		}
		log.Status(screen.Show(fmt.Sprintf("cancelling: waiting up to %s for the response; cancel again to abort", s.grace), nil))
		timer := time.NewTimer(s.grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("%w, and no response came within %s", ErrStopped, s.grace))
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
	s := stoppingOf(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	if s == nil {
		return ctx, cancel
	}
	ctx = context.WithValue(actions.WithStop(ctx, nil), stoppingKey{}, (*stopping)(nil))
	if s.whole.Err() != nil {
		return ctx, cancel
	}
	ctx, abort := context.WithCancelCause(ctx)
	drop := context.AfterFunc(s.whole, func() {
		if err := context.Cause(s.whole); errors.Is(err, ErrAborted) {
			abort(err)
		}
	})
	return ctx, func() {
		drop()
		cancel()
	}
}
