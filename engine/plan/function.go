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

// Function is a compiled function of the provider, or what is made like one: a
// query, or, without an operation, a value made of its inputs.
type Function struct {
	Spec            *spec.Function
	Inputs, Outputs *value.Type
	Naming          value.Naming
	Operation       *Operation
	// Return is what a pure function yields.
	Return *expr.Value
	// Sinks are the inputs that end up where a secret may not go.
	Sinks []Sink
	// Ephemeral is, of a function that opens something, how it is kept.
	Ephemeral *Ephemeral
	// ReliesOn reports, of a method, whether it relies on a property of the resource: see
	// resource.reliesOn.
	ReliesOn func(property string) bool
}

// Effects are the steps that change something.
func (f *Function) Effects() []*Step {
	if f.Operation == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Operation.Steps), func(s *Step) bool { return !s.Known || s.Effect != actions.Write })
}

// Want notes which members of each step's result the function refers to.
func (f *Function) Want() {
	w := Wanting{Named: map[string]*Step{}}
	for i, s := range f.Operation.Steps {
		w.Step(f.Operation.Steps[:i], f.Operation.Steps[:i+1], s)
		if s.Model.As != "" {
			w.Named[s.Model.As] = s
		}
	}
	if f.Operation.Return != nil {
		w.Note(f.Operation.Steps, nil, f.Operation.Return)
		return
	}
	if s := Last(f.Operation.Steps); s.Yield != "" {
		s.Want([]string{s.Yield})
		return
	}
	for _, p := range f.Spec.Outputs.Fields {
		Last(f.Operation.Steps).Wants[p.Name] = true
	}
}

// Ephemeral is how what a function opened is kept, and given back.
type Ephemeral struct {
	Name string
	// Renew and Close see what was opened as `state`; either may be nil.
	Renew, Close *Function
	RenewAfter   *expr.Value
}

// Until is how long it is from now until what `renewAfter` says: seconds, a
// duration, or a time. Null is 0: for ever.
func Until(v any, now time.Time) (time.Duration, error) {
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
	return 0, fmt.Errorf("renewAfter wants a duration such as \"10m\", seconds, or a time such as \"2026-01-02T15:04:05Z\", and not %s", actions.KindOf(v))
}
