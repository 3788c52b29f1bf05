// Package stop cancels an operation in two steps. The first one stops it: nothing new is sent,
// waits end at once, and a request that was sent may still be answered, but only for a while.
// The second one aborts it: its context ends, with ErrAborted as the cause.
package stop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/screen"
)

// ErrAborted is the cause of the context of an operation that was aborted.
var ErrAborted = errors.New("the operation was cancelled again, and so not waited for")

// DefaultGrace is how long a response is waited for once an operation is stopped.
const DefaultGrace = 10 * time.Second

// stopping is how an operation is to be stopped.
type stopping struct {
	grace time.Duration
	// whole is the operation's context, without the limits of its parts.
	whole context.Context
}

type stoppingKey struct{}

// With returns the context of an operation that stops as soon as stop ends. A response is then
// waited for as long as the grace. The end of ctx aborts the operation; with the cause
// ErrAborted it ends undo steps as well.
func With(ctx, stop context.Context, grace time.Duration) context.Context {
	return context.WithValue(actions.WithStop(ctx, stop), stoppingKey{}, &stopping{grace: grace, whole: ctx})
}

func stoppingOf(ctx context.Context) *stopping {
	s, _ := ctx.Value(stoppingKey{}).(*stopping)
	return s
}

// IsStopped reports whether the operation of a context from With was stopped.
func IsStopped(ctx context.Context) bool { return actions.StopErr(ctx) != nil }

// Err returns why no step may begin: the operation was stopped, or its context has ended. It
// returns nil if steps may begin.
func Err(ctx context.Context) error {
	if ctx.Err() != nil {
		return scope.Cause(ctx)
	}
	return actions.StopErr(ctx)
}

// UntilStopped returns a context that ends as soon as the operation is stopped: for waits, and
// for actions without an effect.
func UntilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return actions.CancelOnStop(ctx)
}

// Sending returns the context of one run of a step's action. An action without an effect ends
// as soon as the operation is stopped. One with an effect goes on until it is answered, but not
// beyond the grace; status then shows that the response is waited for.
func Sending(ctx context.Context, status func(screen.Text), effect actions.Effect) (context.Context, context.CancelFunc) {
	if effect != actions.Write {
		return UntilStopped(ctx)
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
		status(screen.Show(fmt.Sprintf("cancelling: waiting up to %s for the response; cancel again to abort", s.grace), nil))
		timer := time.NewTimer(s.grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("%w, and no response came within %s", actions.ErrStopped, s.grace))
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		drop()
		cancel(context.Canceled)
	}
}

// Undoing returns the context in which an operation is undone. Only the limit ends it, and an
// abort that comes while it runs; neither the end or the timeout of the operation does, nor
// what stopped it.
func Undoing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
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

// Looking returns the context in which an operation that has ended looks for what it left: that of the operation, or if it
// was stopped or its time is over, that of its grace. After an abort, nothing may begin.
func Looking(ctx context.Context) (context.Context, context.CancelFunc) {
	s := stoppingOf(ctx)
	if Err(ctx) == nil || s == nil || s.whole.Err() != nil {
		return ctx, func() {}
	}
	return Undoing(ctx, s.grace)
}

// Until calls look until it reports true or fails, or until the limit has passed, and waits longer
// and longer in between. It calls waiting before each wait. The limit is no time of day, because somebody
// may set the clock meanwhile.
func Until(ctx context.Context, limit time.Duration, waiting func(), look func() (bool, error)) error {
	deadline := time.Now().Add(limit)
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		left := time.Until(deadline) // taken before the request: its response tells of no later time
		if seen, err := look(); err != nil || seen || left <= 0 {
			return err
		}
		waiting()
		if err := Wait(ctx, min(delay, max(0, time.Until(deadline)))); err != nil {
			return err
		}
	}
}

// Wait returns after d, or with an error as soon as ctx ends or the operation is stopped.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-actions.StopDone(ctx):
		return actions.ErrStopped
	case <-ctx.Done():
		return scope.Cause(ctx)
	}
}

// Left returns how long it is until a recorded time, but no longer than the limit: the clock may have been ahead when the
// time was recorded. It is negative if the time has passed.
func Left(until time.Time, limit time.Duration) time.Duration {
	return min(time.Until(until), limit)
}

// After returns a context that ends after the limit, unless that is 0.
func After(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than the %s that it was given: %w", limit, context.DeadlineExceeded))
}
