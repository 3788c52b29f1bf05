package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Function is a compiled function of the provider, a method, or the opening of an
// ephemeral. Without an operation it is pure: its result is computed from the inputs.
type Function struct {
	Spec            *spec.Function
	Inputs, Outputs *value.Type
	Naming          value.Naming
	Operation       *Operation
	// Return is the result of a pure function.
	Return *expr.Value
	// Sinks are uses of inputs at places where secrets are not allowed.
	Sinks []Sink
	// Ephemeral is set for a function that opens an ephemeral.
	Ephemeral *Ephemeral
	// ReliesOn reports whether a method relies on a property of the resource; see
	// Resource.ReliesOn.
	ReliesOn func(property string) bool
}

// Effects returns the steps that change something. An operation that is nil has none.
func (op *Operation) Effects() []*Step {
	if op == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(op.Steps), func(s *Step) bool { return !s.Known || s.Effect != actions.Write })
}

// Ephemeral says how an opened ephemeral is renewed and closed.
type Ephemeral struct {
	Name string
	// Renew and Close receive the result of opening as `state`. Either may be nil.
	Renew, Close *Function
	RenewAfter   *expr.Value
}

// RenewalDelay returns the time from now until the value of `renewAfter`, which is a
// duration, a number of seconds, or a time. It returns 0, which means never, for
// null.
func RenewalDelay(v any, now time.Time) (time.Duration, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case string:
		if d, err := time.ParseDuration(v); err == nil && d > 0 {
			return d, nil
		}
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return max(at.Sub(now), 1), nil
		}
	case json.Number, int, int64, float64:
		text, err := value.Text(v)
		if err != nil {
			return 0, err
		}
		var seconds float64
		if _, err := fmt.Sscan(text, &seconds); err == nil && seconds > 0 && seconds < float64(math.MaxInt64/time.Second) {
			return time.Duration(seconds * float64(time.Second)), nil
		}
	}
	return 0, fmt.Errorf("invalid renewAfter: expected a duration such as \"10m\", a number of seconds, or a time such as \"2026-01-02T15:04:05Z\", got %s", actions.KindOf(v))
}
