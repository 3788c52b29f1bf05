// Package decode is the way in for text from outside: a response, the output of a
// command, a JSON or YAML text that an expression reads. It gives plain Go values
// (nil, bool, string, int64, float64, json.Number, []any, map[string]any), counts them
// before they exist, and changes no number. Types are not its concern.
package decode

import "fmt"

const (
	// MaxDepth is how deep a value may nest.
	MaxDepth = 100
	// DefaultValues is how many values there may be where the spec does not say.
	DefaultValues = 1_000_000
)

// Budget is how many values one source may still give. Bytes alone bound nothing:
// 16 MiB of `[{},{},…]` are five million objects, and gigabytes of memory.
type Budget struct{ limit, used int }

// NewBudget returns a budget of so many values; 0 stands for DefaultValues.
func NewBudget(limit int) *Budget {
	if limit <= 0 {
		limit = DefaultValues
	}
	return &Budget{limit: limit}
}

// Spend takes n values from the budget, or returns a *TooManyError.
func (b *Budget) Spend(n int) error {
	if n > b.limit-b.used {
		return &TooManyError{Count: b.used + n, Limit: b.limit}
	}
	b.used += n
	return nil
}

// TooManyError reports more values than a budget has. Count is what there was up to
// where counting stopped.
type TooManyError struct{ Count, Limit int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("expected at most %d values, got %d", e.Limit, e.Count)
}

// DepthError reports a value that nests too deep.
type DepthError struct{}

func (DepthError) Error() string { return fmt.Sprintf("it nests deeper than %d", MaxDepth) }
