package scope

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
	"github.com/declprov/declprov/spec/types"
)

// Templates see plain values, and the scope records the paths of secrets. Code that sets a
// value also sets the paths of its marks, and code that replaces it removes them. For values
// that are computed in an operation, only this file does so.

// Set sets a name to a computed value. The marks of the value replace those of the
// name.
func (s *Scope) Set(name string, v any) {
	s.Secrets.Forget(name)
	s.Secrets.MarkSecrets(v, value.PathTo(name))
	s.Vars.Values[name] = expr.Reveal(v, nil)
}

// Evaluated is the value of a template, with and without its marks. Secret is true if
// it has any.
type Evaluated struct {
	Marked, Plain any
	Secret        bool
}

// Evaluate evaluates a template, and records the secrets in its value.
func (s *Scope) Evaluate(v *expr.Value) (out Evaluated, err error) {
	s.Vars.Secrets = s.Secrets.Paths
	if out.Marked, err = v.Eval(s.Vars); err != nil {
		return Evaluated{}, err
	}
	add := s.Secrets.AddResult(v)
	out.Plain = expr.Reveal(out.Marked, func(value any) {
		out.Secret = true
		add(value)
	})
	return out, nil
}

// hidesPart reports whether a step's result has secret members, by its type or because they
// echo a secret argument.
func (s *Scope) hidesPart(step *plan.Step) bool {
	return step.Hides || step.Telling != nil && s.sendsSecret(step)
}

// declare marks the members of a result that its type declares secret or that echo a secret
// argument, under each name of the result.
func (s *Scope) declare(step *plan.Step, result any) {
	marked := s.MarkedResult(step, result)
	expr.Reveal(marked, s.Secrets.AddPlain)
	s.Secrets.Forget("result")
	s.Secrets.MarkSecrets(marked, value.PathTo("result"))
	if step.Model.As != "" {
		s.Secrets.Forget("steps", step.Model.As)
		s.Secrets.MarkSecrets(marked, value.PathTo("steps", step.Model.As))
	}
	if !step.HasShorthands() {
		return // those of an earlier step stay
	}
	members, _ := marked.(map[string]any)
	for _, name := range plan.ShorthandNames {
		s.Secrets.Forget(name)
		s.Secrets.MarkSecrets(members[name], value.PathTo(name))
	}
}

// MarkedResult returns a step's result, or each result of its forEach, with marks.
func (s *Scope) MarkedResult(step *plan.Step, value any) any {
	named, t := s.types, step.Result
	if step.Telling != nil && s.sendsSecret(step) {
		t = step.Telling
	}
	if step.ForEach == nil {
		return types.MarkDeclared(value, t, named)
	}
	switch results := value.(type) {
	case []any:
		return types.MarkDeclared(results, &spec.Type{Kind: spec.List, Elem: t}, named)
	case map[string]any:
		return types.MarkDeclared(results, &spec.Type{Kind: spec.Map, Elem: t}, named)
	default:
		return types.MarkDeclared(value, plan.StepType(step), named)
	}
}

// LoopsOverSecrets reports whether the elements of a step's forEach come from a secret.
func LoopsOverSecrets(s *Scope, step *plan.Step) bool {
	return step.ForEach != nil && s.refersToMark(step.ForEach.Refs(), nil)
}

// sendsSecret reports whether an argument of a step refers to a secret.
func (s *Scope) sendsSecret(step *plan.Step) bool {
	for _, a := range step.Args {
		if a.Value != nil && s.refersToMark(a.Value.Refs(), step.ForEach) {
			return true
		}
	}
	return false
}

func (s *Scope) refersToMark(refs []expr.Ref, forEach *expr.Value) bool {
	return slices.ContainsFunc(refs, func(ref expr.Ref) bool {
		if ref.Path[0] == "each" && forEach != nil {
			return s.refersToMark(forEach.Refs(), nil)
		}
		return slices.ContainsFunc(s.Secrets.Paths, func(mark []string) bool { return Overlap(ref.Path, mark) })
	})
}

// Overlap reports whether two paths may lead to the same value, or one to a part of
// the other's value. * matches any name.
func Overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" && b[i] != "*" {
			return false
		}
	}
	return true
}

// Elements returns the elements over which forEach iterates, in order and with their
// marks: the items of a list (listed is true), or the entries of a map, sorted by
// key. The keys of a secret map are secret.
func Elements(over any) (elements []Element, listed bool, err error) {
	s, secret := over.(expr.Secret)
	if secret {
		over = s.Value
	}
	mark := func(v any) any {
		if _, already := v.(expr.Secret); already || !secret {
			return v
		}
		return expr.Secret{Value: v}
	}
	switch over := over.(type) {
	case []any:
		elements = make([]Element, len(over))
		for i, item := range over {
			elements[i] = Element{Text: strconv.Itoa(i), Key: int64(i), Value: mark(item)}
		}
		return elements, true, nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(over)) {
			elements = append(elements, Element{Text: key, Key: mark(key), Value: mark(over[key]), SecretKey: secret})
		}
		return elements, false, nil
	default:
		return nil, false, fmt.Errorf("forEach yields %s; expected a list or a map", actions.KindOf(over))
	}
}

// Element is one element of a forEach. Text is its key as a string; Key and Value are
// as templates see them.
type Element struct {
	Text       string
	Key, Value any
	SecretKey  bool
}

// Echoes reports whether a value of a template is or contains a secret that this run knows, and comes
// from outside: servers and programs return what was sent to them.
func (s *Scope) Echoes(of *expr.Value, value any) bool {
	return of.RefersTo(append([]string{"steps", "each"}, plan.AnswerNames...)...) && holdsSecretText(value, s.Mask())
}

// MarkEchoes returns a value in which strings that are or contain a known secret are secret.
func (s *Scope) MarkEchoes(v any) any {
	return value.MapLeaves(v, func(leaf any) any {
		if text, ok := leaf.(string); ok && s.Mask().Holds(text) {
			return expr.Secret{Value: text}
		}
		return leaf
	})
}

func holdsSecretText(v any, m *screen.Mask) bool {
	if m == nil {
		return false
	}
	switch v := v.(type) {
	case string:
		return m.Holds(v)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return holdsSecretText(item, m) })
	case map[string]any:
		for _, item := range v {
			if holdsSecretText(item, m) {
				return true
			}
		}
	}
	return false
}

// PublicText is like Text, for a string that is public. It returns ErrExposed if the
// string contains a secret. what is the name of the string in the error.
func (s *Scope) PublicText(v *expr.Value, what string) (string, error) {
	text, err := s.ShownText(v, what)
	if err == nil && v != nil && s.Echoes(v, text) {
		return "", fmt.Errorf("%s %w", what, ErrExposed)
	}
	return text, err
}

// ShownText is like PublicText, for a string that is masked before it is shown: it may contain a secret
// that came from outside.
func (s *Scope) ShownText(v *expr.Value, what string) (string, error) {
	if v == nil {
		return "", nil
	}
	out, err := s.Evaluate(v)
	switch {
	case err != nil || out.Marked == nil:
		return "", err
	case expr.HasUnknown(out.Plain):
		return "", ErrNotKnown
	case out.Secret:
		return "", fmt.Errorf("%s %w", what, ErrExposed)
	default:
		return value.Text(out.Plain)
	}
}

// ErrExposed means that a secret would be public.
var ErrExposed = errors.New("contains a secret, which others could read there; pass the secret in another way")

// HoldsSecret reports whether a value contains a mark.
func HoldsSecret(v any) bool {
	found := false
	expr.Reveal(v, func(any) { found = true })
	return found
}
