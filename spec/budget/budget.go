// Package budget limits the time for evaluating and checking a spec. Work is charged
// before it is done. It stops when the budget is used up or the context of the
// operation has ended.
package budget

import (
	"context"
	"errors"
	"fmt"
)

// ErrSpent is the error for work that exceeds a budget.
var ErrSpent = errors.New("it takes too much work")

// pollEvery is the number of units of work between two checks of the context, which
// corresponds to a few milliseconds.
const pollEvery = 1 << 15

// Budget is an amount of work. One unit takes about 25 nanoseconds: visiting an item,
// or copying sixteen bytes of text. A Budget must only be used by one goroutine. A
// nil Budget is unlimited.
type Budget struct {
	ctx        context.Context
	size, left int
	// poll is the amount left at the next check of the context.
	poll int
}

// New returns a budget of size units that ends with ctx, which may be nil.
func New(ctx context.Context, size int) *Budget {
	b := &Budget{}
	b.Reset(ctx, size)
	return b
}

// Reset resets b to a new budget.
func (b *Budget) Reset(ctx context.Context, size int) {
	*b = Budget{ctx: ctx, size: size, left: size, poll: size - pollEvery}
	if ctx == nil {
		b.poll = -1
	}
}

// Used returns the number of units that were charged.
func (b *Budget) Used() int { return b.size - b.left }

// Spend charges n units of work. It is called before the work. It returns ErrSpent if
// fewer units are left, or an error that wraps the cause if the context has ended.
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

// Poll returns an error that wraps the context's cause if the context has ended.
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

// Stopped is the error for work that was stopped because its context ended.
type Stopped struct{ Cause error }

func (s *Stopped) Error() string { return fmt.Sprintf("it was stopped: %v", s.Cause) }

// Unwrap returns the cause of the end of the context.
func (s *Stopped) Unwrap() error { return s.Cause }
