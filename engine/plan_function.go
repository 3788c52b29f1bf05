package engine

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

// function is a compiled function of the provider, or what is made like one: a
// query, or, without an operation, a value made of its inputs.
type function struct {
	spec            *spec.Function
	inputs, outputs *value.Type
	naming          value.Naming
	op              *operation
	// ret is what a pure function yields.
	ret *expr.Value
	// sinks are the inputs that end up where a secret may not go.
	sinks []sink
	// ephemeral is, of a function that opens something, how it is kept.
	ephemeral *ephemeral
	// reliesOn reports, of a method, whether it relies on a property of the resource: see
	// resource.reliesOn.
	reliesOn func(property string) bool
}

// effects are the steps that change something.
func (f *function) effects() []*step {
	if f.op == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.op.steps), func(s *step) bool { return !s.known || s.effect != actions.Write })
}

// want notes which members of each step's result the function refers to.
func (f *function) want() {
	w := wanting{named: map[string]*step{}}
	for i, s := range f.op.steps {
		w.step(f.op.steps[:i], f.op.steps[:i+1], s)
		if s.model.As != "" {
			w.named[s.model.As] = s
		}
	}
	if f.op.ret != nil {
		w.note(f.op.steps, nil, f.op.ret)
		return
	}
	if s := last(f.op.steps); s.yield != "" {
		s.want([]string{s.yield})
		return
	}
	for _, p := range f.spec.Outputs.Fields {
		last(f.op.steps).wants[p.Name] = true
	}
}

// ephemeral is how what a function opened is kept, and given back.
type ephemeral struct {
	name string
	// renew and close see what was opened as `state`; either may be nil.
	renew, close *function
	renewAfter   *expr.Value
}

// until is how long it is from now until what `renewAfter` says: seconds, a
// duration, or a time. Null is 0: for ever.
func until(v any, now time.Time) (time.Duration, error) {
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
