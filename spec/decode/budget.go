// Package decode decodes text from outside: responses, the output of commands, and
// JSON, YAML or XML that an expression reads. It returns plain Go values (nil, bool,
// string, int64, float64, json.Number, []any, map[string]any). It counts values
// before it creates them, and never changes a number. It does not check types.
package decode

import "fmt"

const (
	// MaxDepth is the maximum nesting depth of a value.
	MaxDepth = 100
	// DefaultValues is the maximum number of values if the spec does not set another.
	DefaultValues = 1_000_000
)

// Budget is the number of values that one source may still produce. A limit on bytes
// is not enough: 16 MiB of `[{},{},…]` are five million objects, which need gigabytes
// of memory.
type Budget struct{ limit, used int }

// NewBudget returns a budget of limit values. 0 means DefaultValues.
func NewBudget(limit int) *Budget {
	if limit <= 0 {
		limit = DefaultValues
	}
	return &Budget{limit: limit}
}

// Spend takes n values from the budget. It returns a *TooManyError if there are too
// few left.
func (b *Budget) Spend(n int) error {
	if n > b.limit-b.used {
		return &TooManyError{Count: b.used + n, Limit: b.limit}
	}
	b.used += n
	return nil
}

// TooManyError reports that a source has more values than its budget. Count is the
// number of values up to the point where counting stopped.
type TooManyError struct{ Count, Limit int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("expected at most %d values, got %d", e.Limit, e.Count)
}

// DepthError reports a value that nests too deeply.
type DepthError struct{}

func (DepthError) Error() string { return fmt.Sprintf("nests deeper than %d levels", MaxDepth) }
