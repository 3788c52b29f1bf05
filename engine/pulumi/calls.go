package pulumi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/declprov/declprov/engine"
)

// Grace is how long after its own timeout an operation may still take to report
// what it has done, before the context ends it.
const Grace = 2 * time.Second

// graceVariable sets how long a response is waited for after the first Cancel.
const graceVariable = "DECLPROV_CANCEL_GRACE"

// graceFrom reads the value of graceVariable. With an error it returns the default.
func graceFrom(text string) (time.Duration, error) {
	if text == "" {
		return engine.DefaultGrace, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return engine.DefaultGrace, fmt.Errorf("%s: invalid duration %q (use 10s or 1m30s); %s is used", graceVariable, text, engine.DefaultGrace)
	}
	return d, nil
}

// errEnding is why the context of an operation ended when the process was told to
// end.
var errEnding = errors.New("the operation was cancelled, because the provider was told to end")

// calls are the operations under way in this process, over all connections.
type calls struct {
	// grace is how long a response is waited for after the first Cancel.
	grace time.Duration
	// nobody is the caller of calls that came over no connection.
	nobody caller

	mu       sync.Mutex
	underWay map[*operation]struct{}
	// idle is closed when there are no operations; ending says that the process
	// ends.
	idle   chan struct{}
	ending bool
}

// caller is what calls know of one connection; calls.mu guards it.
type caller struct {
	// cancels counts the Cancels since the caller's latest run began.
	cancels int
	// underWay is how many of its operations have not ended.
	underWay int
}

// operation is one call under way.
type operation struct {
	from *caller
	// cancels counts the Cancels that it has got.
	cancels     int
	stop, abort context.CancelCauseFunc
}

// cancelled counts a Cancel of the operation.
func (o *operation) cancelled() {
	if o.cancels++; o.cancels == 1 {
		o.stop(engine.ErrStopped)
	} else {
		o.end(engine.ErrAborted)
	}
}

// end aborts the operation.
func (o *operation) end(why error) {
	o.abort(why) // first, so that nobody begins to wait for a response
	o.stop(why)
}

func newCalls(grace time.Duration) *calls {
	c := &calls{grace: grace, underWay: map[*operation]struct{}{}, idle: make(chan struct{})}
	close(c.idle)
	return c
}

// callerOf is who sent a call.
func (c *calls) callerOf(ctx context.Context) *caller {
	if conn := connectionOf(ctx); conn != nil {
		return &conn.caller
	}
	return &c.nobody
}

// cancel counts a Cancel for each operation that came over the same connection.
// Operations of other connections belong to other engines, and go on.
//
// An engine sends Cancel for two reasons that look alike: its user has cancelled
// the run, or the run is over. After the former no call of that run may begin,
// although the engine may have sent some before it knew; after the latter the
// connection may be used for another run, where engines attach to the process.
// So a call that begins while cancelled ones are still under way belongs to the
// same run, and is cancelled from the start, as often as they are. A call that
// begins when none is under way begins a new run, and so does a Handshake or a
// Configure, whatever is under way.
func (c *calls) cancel(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.callerOf(ctx)
	from.cancels++
	for o := range c.underWay {
		if o.from == from {
			o.cancelled()
		}
	}
}

// renew begins a new run over the connection: see cancel.
func (c *calls) renew(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callerOf(ctx).cancels = 0
}

// abortAll aborts all operations, and those that begin later: the process ends.
func (c *calls) abortAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	for o := range c.underWay {
		o.end(errEnding)
	}
}

// begin returns the context of an operation. It can be stopped (see
// engine.Stoppable), and ends with the request's, with the second Cancel, with the
// process, or some time after the timeout (0: none). The caller calls end.
func (c *calls) begin(ctx context.Context, timeout time.Duration) (_ context.Context, end func()) {
	o := &operation{}
	stop, stopNow := context.WithCancelCause(context.Background())
	ctx, abort := context.WithCancelCause(ctx)
	o.stop, o.abort = stopNow, abort
	c.enter(ctx, o)
	ctx = engine.Stoppable(ctx, stop, c.grace)
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

// enter notes that an operation is under way.
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
		o.cancelled()
	}
	if c.ending {
		o.end(errEnding)
	}
}

// leave is the end of one operation.
func (c *calls) leave(o *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.underWay, o)
	o.from.underWay--
	if len(c.underWay) == 0 {
		close(c.idle)
	}
}

// ended is closed once none of the operations is under way.
func (c *calls) ended() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.idle
}

// duration is a timeout as requests carry it: seconds, 0 for none. What is no
// time at all (negative, not a number, beyond what a Duration holds) is none.
func duration(seconds float64) time.Duration {
	const most = float64(math.MaxInt64/2) / float64(time.Second)
	if !(seconds > 0 && seconds < most) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
