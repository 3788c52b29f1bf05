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
	"github.com/declprov/declprov/spec/types"
)

// Templates see plain values; the scope keeps the paths at which they are secret. Whatever
// sets a value sets the paths of its marks, and whatever replaces it forgets them: both happen
// only in this file, for values that are computed in an operation.

// Set sets a name to a computed value, whose marks replace those that the name had.
func (s *Scope) Set(name string, v any) {
	s.Secrets.Forget(name)
	s.Secrets.Within(v, value.PathTo(name))
	s.Vars.Values[name] = expr.Reveal(v, nil)
}

// Evaluated is the value of a template, with its marks and without them. Secret reports
// whether it has any.
type Evaluated struct {
	Marked, Plain any
	Secret        bool
}

// Evaluate evaluates a template, and notes the secrets in its value.
func (s *Scope) Evaluate(v *expr.Value) (out Evaluated, err error) {
	s.Vars.Secrets = s.Secrets.Paths
	if out.Marked, err = v.Eval(s.Vars); err != nil {
		return Evaluated{}, err
	}
	out.Plain = expr.Reveal(out.Marked, func(value any) {
		out.Secret = true
		s.Secrets.Saw(value)
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
	marked := s.markedResult(step, result)
	expr.Reveal(marked, s.Secrets.Saw)
	s.Secrets.Forget("result")
	s.Secrets.Within(marked, value.PathTo("result"))
	if step.Model.As != "" {
		s.Secrets.Forget("steps", step.Model.As)
		s.Secrets.Within(marked, value.PathTo("steps", step.Model.As))
	}
	members, _ := marked.(map[string]any)
	for _, name := range plan.ShorthandNames {
		s.Secrets.Forget(name)
		if step.HasShorthands() {
			s.Secrets.Within(members[name], value.PathTo(name))
		}
	}
}

// markedResult returns a step's result, or each result of its forEach, with marks.
func (s *Scope) markedResult(step *plan.Step, value any) any {
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

// Overlap reports whether two paths may lead to the same value, or one into the value of the
// other. The name * stands for any.
func Overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" && b[i] != "*" {
			return false
		}
	}
	return true
}

// Elements returns the elements that a forEach loops over, in order, with their marks: the
// items of a list (listed is true), or the entries of a map, sorted by key. The keys of a secret
// map are secret, too.
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

// Element is one element of a loop: its key as a string, and key and value as templates see
// them.
type Element struct {
	Text       string
	Key, Value any
	SecretKey  bool
}

// PublicText is Text for a string that is shown to everybody: it returns ErrExposed if the
// string holds a secret. what names the string in that error.
func (s *Scope) PublicText(v *expr.Value, what string) (string, error) {
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

// ErrExposed refuses to put a secret where others can read it.
var ErrExposed = errors.New("holds a secret, which others could read there: pass it where it stays hidden")

// HoldsSecret reports whether a value has a mark.
func HoldsSecret(v any) bool {
	found := false
	expr.Reveal(v, func(any) { found = true })
	return found
}
