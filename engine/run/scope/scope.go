// Package scope evaluates the templates of an operation. It holds the values that
// they see, and records which of them are secret.
package scope

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// Scope contains the values that the templates of an operation see, by name, and
// records which of them are secret. It must not be used concurrently.
type Scope struct {
	Vars *expr.Vars
	// Secrets are the paths and texts of the secrets in the values.
	Secrets *value.Secrets
	Naming  value.Naming

	types spec.Types // the spec's named types
	// declares is true if the types of results declare secrets that are marked.
	declares bool
	// configured masks the secrets of the configuration. hides also masks the first
	// hidden texts of the scope's secrets.
	configured *screen.Mask
	hides      *screen.Mask
	hidden     int
}

// New returns a scope with some values, of which secrets marks the secret ones.
// configured masks the secrets of the configuration.
func New(ctx context.Context, values map[string]any, secrets *value.Secrets, p *plan.Program, configured *screen.Mask) Scope {
	return Scope{
		Vars:    &expr.Vars{Context: BeforeSending(ctx), Values: values, MaxValues: p.MaxValues()},
		Secrets: secrets, types: p.Provider.Types, configured: configured,
	}
}

// SetObject sets a name to the plain value of an object of type c.
func (s *Scope) SetObject(name string, c *value.Type, values property.Map) {
	s.Vars.Values[name] = c.PlainMap(values, value.PathTo(name), s.Secrets)
}

// Mask returns a mask of all secrets seen so far.
func (s *Scope) Mask() *screen.Mask {
	if s.hides == nil || s.hidden != len(s.Secrets.Values) {
		s.hides, s.hidden = s.configured.With(s.Secrets.Values), len(s.Secrets.Values)
	}
	return s.hides
}

// Eval evaluates a template to a plain value, and records the secrets in it.
func (s *Scope) Eval(v *expr.Value) (any, error) {
	out, err := s.Evaluate(v)
	return out.Plain, err
}

// Bool evaluates a condition. It returns def if v is nil, and ErrNotKnown if the condition
// depends on an unknown value.
func (s *Scope) Bool(v *expr.Value, def bool) (bool, error) {
	if v == nil {
		return def, nil
	}
	out, err := s.Eval(v)
	if err != nil {
		return false, err
	}
	if expr.HasUnknown(out) {
		return false, ErrNotKnown
	}
	b, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("expected a condition to be true or false, got %s", actions.KindOf(out))
	}
	return b, nil
}

// Text evaluates a template to a string. It returns "" if v is nil or the value is
// null, and ErrNotKnown if the value is unknown.
func (s *Scope) Text(v *expr.Value) (string, error) {
	if v == nil {
		return "", nil
	}
	out, err := s.Eval(v)
	if err != nil || out == nil {
		return "", err
	}
	if expr.HasUnknown(out) {
		return "", ErrNotKnown
	}
	return value.Text(out)
}

// Duration evaluates a duration. It returns def if v is nil or the value is null.
func (s *Scope) Duration(v *expr.Value, def time.Duration) (time.Duration, error) {
	text, err := s.Text(v)
	if err != nil || text == "" {
		return def, err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("invalid duration %q (use 10s or 1m30s)", text)
	}
	return d, nil
}

// Marked returns the value at a path, with its secrets marked.
func (s *Scope) Marked(path ...string) any {
	s.Vars.Secrets = s.Secrets.Paths
	return s.Vars.Marked(path)
}

// SetResult sets the result of the latest step under all its names: `result`, the
// name of the step, and the shorthands of its family.
func (s *Scope) SetResult(step *plan.Step, value any) {
	s.Vars.Values["result"] = value
	if step.Model.As != "" {
		named, _ := s.Vars.Values["steps"].(map[string]any)
		named = maps.Clone(named)
		if named == nil {
			named = map[string]any{}
		}
		named[step.Model.As] = value
		s.Vars.Values["steps"] = named
	}
	s.setShorthands(step, value)
	if s.declares || s.hidesPart(step) {
		s.declares = true // later results must remove these marks
		s.declare(step, value)
	}
}

// setShorthands sets the names that stand for members of the result, such as `body`.
func (s *Scope) setShorthands(step *plan.Step, value any) {
	if !step.HasShorthands() {
		return
	}
	for _, name := range plan.ShorthandNames {
		if step.Result.Field(name) == nil {
			continue
		}
		switch value := value.(type) {
		case map[string]any:
			s.Vars.Values[name] = value[name]
		case expr.Unknown:
			s.Vars.Values[name] = value
		default:
			s.Vars.Values[name] = nil // its `if` was false
		}
	}
}

// Branch makes later changes of the scope temporary, until the returned function is called.
func (s *Scope) Branch() (restore func()) {
	before := s.Vars.Values
	s.Vars.Values = maps.Clone(before)
	return func() { s.Vars.Values = before }
}

// WithResult calls f with a response as the result of the step, and restores the
// scope afterwards.
func (s *Scope) WithResult(step *plan.Step, answer any, f func() error) error {
	before, marks := s.Vars.Values, s.Secrets.Paths
	s.Vars.Values = maps.Clone(before)
	defer func() { s.Vars.Values, s.Secrets.Paths = before, marks }()
	s.SetResult(step, answer)
	return f()
}

// Return returns the result of an operation with its declared names: the value of
// `return`, or the result of the last step. It may contain unknown values and marked
// secrets.
func (s *Scope) Return(op *plan.Operation) (any, error) {
	if op.Return != nil {
		s.Vars.Secrets = s.Secrets.Paths
		out, err := op.Return.Eval(s.Vars)
		return s.Naming.FromWire(out, op.Return.Type()), err
	}
	step := plan.Last(op.Steps)
	if step == nil || step.Yield == "" || step.ForEach != nil {
		return s.Marked("result"), nil
	}
	if _, ok := s.Vars.Values["result"].(map[string]any); !ok {
		return s.Marked("result"), nil
	}
	return s.Naming.FromWire(s.Marked("result", step.Yield), step.Yields()), nil
}

// PlainReturn is like Return, without marks. It records the secrets.
func (s *Scope) PlainReturn(op *plan.Operation) (any, error) {
	out, err := s.Return(op)
	if err != nil {
		return nil, err
	}
	return expr.Reveal(out, s.Secrets.AddResult(op.Return)), nil
}

// SetContext sets the context that ends evaluations, and returns the previous one:
// `defer s.SetContext(s.SetContext(ctx))` restores it.
func (s *Scope) SetContext(ctx context.Context) (before context.Context) {
	before, s.Vars.Context = s.Vars.Context, ctx
	return before
}

// unsent is a context that also ends when the operation is stopped.
type unsent struct{ context.Context }

func (u unsent) Err() error {
	if err := u.Context.Err(); err != nil {
		return err
	}
	return actions.StopErr(u.Context)
}

// BeforeSending returns a context for evaluations before anything is sent, which also
// ends when the operation is stopped. It returns nil for nil.
func BeforeSending(ctx context.Context) context.Context {
	if ctx == nil {
		return nil
	}
	return unsent{ctx}
}

// ErrNotKnown means that a template depends on an unknown value.
var ErrNotKnown = errors.New("it depends on a value that is not known yet")

// Cause returns the reason why a context ended.
func Cause(ctx context.Context) error {
	err := context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it ran out of time: %w", err)
	}
	return err
}
