// Package budget bounds the time of what a spec evaluates and checks: work is
// counted before it is done, and whoever does it stops when the count is used up
// or the operation's context has ended.
package budget

import (
	"context"
	"errors"
	"fmt"
)

// ErrSpent is the error of work beyond a budget.
var ErrSpent = errors.New("it takes too much work")

// pollEvery is how many units of work pass between two looks at the context: a
// few milliseconds.
const pollEvery = 1 << 15

// Budget is what may be spent. One unit is some 25 nanoseconds: an item that is
// looked at, or sixteen bytes of text that are copied. It is for one goroutine.
// Nothing is counted of a nil Budget.
type Budget struct {
	ctx        context.Context
	size, left int
	// poll is what is left when the context is looked at again.
	poll int
}

// New returns a budget of so many units that ends with ctx, which may be nil.
func New(ctx context.Context, size int) *Budget {
	b := &Budget{}
	b.Reset(ctx, size)
	return b
}

// Reset makes b a new budget.
func (b *Budget) Reset(ctx context.Context, size int) {
	*b = Budget{ctx: ctx, size: size, left: size, poll: size - pollEvery}
	if ctx == nil {
		b.poll = -1
	}
}

// Used returns how much was spent.
func (b *Budget) Used() int { return b.size - b.left }

// Spend counts n units of work that is about to be done. The error says that there
// is not so much left, or wraps the cause that ended the context.
func (b *Budget) Spend(n int) error {
	if b == nil {
		return nil
	}
	if n < 0 || n > b.left {
		return ErrSpent
	}
	b.left -= n
	if b.left > b.poll {
		return nil
	}
	return b.Poll()
}

// Poll returns an error that wraps the context's cause if it has ended.
func (b *Budget) Poll() error {
	if b == nil || b.ctx == nil {
		return nil
	}
	b.poll = b.left - pollEvery
	if b.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(b.ctx)
	if cause == nil {
		cause = b.ctx.Err()
	}
	return &Stopped{Cause: cause}
}

// Stopped is the error of work that the end of its context cut short.
type Stopped struct{ Cause error }

func (s *Stopped) Error() string { return fmt.Sprintf("it was stopped: %v", s.Cause) }

// Unwrap returns what ended the context.
func (s *Stopped) Unwrap() error { return s.Cause }
