package pulumi

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// Grace is how long after its own timeout an operation may still take to report
// what it has done, before the context ends it.
const Grace = 2 * time.Second

// errCancelled is the cause of a context that the host's Cancel has ended.
var errCancelled = errors.New("the operation was cancelled")

// calls are the operations under way, in generations: a Cancel ends all of one,
// and what comes after it belongs to the next. So a process that serves several
// runs of Pulumi, one after the other, is not spoilt by the end of the first.
type calls struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	// underWay counts the operations that have not ended; idle is closed when
	// there are none.
	underWay int
	idle     chan struct{}
}

func newCalls() *calls {
	c := &calls{idle: make(chan struct{})}
	close(c.idle)
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// cancelAll ends the operations under way.
func (c *calls) cancelAll() {
	c.mu.Lock()
	cancel := c.cancel
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.mu.Unlock()
	cancel(errCancelled)
}

// begin gives an operation its context, which ends with the request's, with
// Cancel, or some time after the timeout (0: none). The caller calls end.
func (c *calls) begin(ctx context.Context, timeout time.Duration) (_ context.Context, end func()) {
	c.mu.Lock()
	generation := c.ctx
	if c.underWay == 0 {
		c.idle = make(chan struct{})
	}
	c.underWay++
	c.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(generation, func() { cancel(errCancelled) })
	release := func() {}
	if timeout > 0 {
		ctx, release = context.WithTimeout(ctx, timeout+Grace)
	}
	return ctx, func() {
		stop()
		release()
		cancel(context.Canceled)
		c.leave()
	}
}

// leave is the end of one operation.
func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underWay--
	if c.underWay == 0 {
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
