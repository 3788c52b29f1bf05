package pulumi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/run/stop"
)

// Grace is the time after its timeout during which an operation may report what it
// has done. Then its context ends.
const Grace = 2 * time.Second

// graceVariable sets how long an operation waits for a response after the first
// Cancel.
const graceVariable = "DECLPROV_CANCEL_GRACE"

// graceFrom parses the value of graceVariable. If it returns an error, it also
// returns the default.
func graceFrom(text string) (time.Duration, error) {
	if text == "" {
		return stop.DefaultGrace, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return stop.DefaultGrace, fmt.Errorf("%s: invalid duration %q (use 10s or 1m30s); %s is used", graceVariable, text, stop.DefaultGrace)
	}
	return d, nil
}

// errEnding is the cause of an operation's cancellation when the process ends.
var errEnding = errors.New("the operation was cancelled, because the provider was told to end")

// calls are the operations under way in this process, of all connections.
type calls struct {
	// grace is how long an operation waits for a response after the first Cancel.
	grace time.Duration
	// trace receives what operations do, unless it is nil.
	trace func(actions.Event)
	// lose decides which responses are lost, unless it is nil; see actions.WithLoss.
	lose func() bool
	// look decides which creates only look, unless it is nil; see actions.Look.
	look func() *actions.Look
	// nobody is the caller of calls without a connection.
	nobody caller

	mu       sync.Mutex
	underWay map[*operation]struct{}
	// idle is closed while there are no operations. ending is true if the process ends.
	idle   chan struct{}
	ending bool
}

// caller is the state of one connection, guarded by calls.mu.
type caller struct {
	// cancels is the number of Cancels since the latest run of the caller began.
	cancels int
	// underWay is the number of its operations under way.
	underWay int
}

// operation is one call under way.
type operation struct {
	from *caller
	// cancels is the number of Cancels for the operation.
	cancels     int
	stop, abort context.CancelCauseFunc
}

// cancel counts a Cancel. The first stops the operation, and the second aborts it.
func (o *operation) cancel() {
	if o.cancels++; o.cancels == 1 {
		o.stop(actions.ErrStopped)
	} else {
		o.end(stop.ErrAborted)
	}
}

// end aborts the operation.
func (o *operation) end(why error) {
	o.abort(why) // first, so that the operation does not start to wait for a response
	o.stop(why)
}

func newCalls(grace time.Duration) *calls {
	c := &calls{grace: grace, underWay: map[*operation]struct{}{}, idle: make(chan struct{})}
	close(c.idle)
	return c
}

// callerOf returns the caller of a call.
func (c *calls) callerOf(ctx context.Context) *caller {
	if conn := connectionOf(ctx); conn != nil {
		return &conn.caller
	}
	return &c.nobody
}

// cancel counts a Cancel for each operation of the same connection. Operations of
// other connections belong to other engines of Pulumi, and continue.
//
// An engine of Pulumi sends Cancel in two cases, which the provider cannot distinguish: its
// user has cancelled the run, or the run has ended. In the first case, no call of the
// run may begin, although Pulumi's engine may have sent some before. In the second case,
// an engine of Pulumi that attaches to the process may use the connection for another run. So a
// call that begins while cancelled ones are under way belongs to the same run, and is
// cancelled as often as they are. A call that begins when none is under way begins a
// new run. A Handshake or a Configure always begins a new run.
func (c *calls) cancel(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.callerOf(ctx)
	from.cancels++
	for o := range c.underWay {
		if o.from == from {
			o.cancel()
		}
	}
}

// renew begins a new run on the connection; see cancel.
func (c *calls) renew(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callerOf(ctx).cancels = 0
}

// abortAll aborts all operations, and all that begin later, because the process ends.
func (c *calls) abortAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	for o := range c.underWay {
		o.end(errEnding)
	}
}

// begin returns the context of an operation. It can be stopped (see stop.With). It
// ends with the context of the request, on the second Cancel, when the process ends,
// or some time after the timeout (0: none). The caller must call end.
func (c *calls) begin(ctx context.Context, timeout time.Duration) (_ context.Context, end func()) {
	o := &operation{}
	stopped, stopNow := context.WithCancelCause(context.Background())
	ctx, abort := context.WithCancelCause(ctx)
	o.stop, o.abort = stopNow, abort
	c.enter(ctx, o)
	ctx = stop.With(ctx, stopped, c.grace)
	if c.trace != nil {
		ctx = actions.WithTrace(ctx, c.trace)
	}
	if c.lose != nil {
		ctx = actions.WithLoss(ctx, c.lose)
	}
	if c.look != nil {
		if l := c.look(); l != nil {
			ctx = actions.WithLook(ctx, l)
		}
	}
	release := func() {}
	if timeout > 0 {
		ctx, release = context.WithTimeout(ctx, timeout+Grace)
	}
	return ctx, func() {
		c.leave(o)
		release()
		abort(context.Canceled)
	}
}

// enter records that an operation has begun.
func (c *calls) enter(ctx context.Context, o *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.from = c.callerOf(ctx)
	if o.from.underWay == 0 {
		o.from.cancels = 0
	}
	if len(c.underWay) == 0 {
		c.idle = make(chan struct{})
	}
	o.from.underWay++
	c.underWay[o] = struct{}{}
	for range min(o.from.cancels, 2) {
		o.cancel()
	}
	if c.ending {
		o.end(errEnding)
	}
}

// leave records that an operation has ended.
func (c *calls) leave(o *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.underWay, o)
	o.from.underWay--
	if len(c.underWay) == 0 {
		close(c.idle)
	}
}

// ended returns a channel that is closed when no operation is under way.
func (c *calls) ended() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.idle
}

// duration converts a timeout in seconds. It returns 0, which means none, for a
// number that is negative, NaN or too large.
func duration(seconds float64) time.Duration {
	const most = float64(math.MaxInt64/2) / float64(time.Second)
	if !(seconds > 0 && seconds < most) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
