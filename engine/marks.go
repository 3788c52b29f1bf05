package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// A mark belongs to the value. Templates see plain values, and beside them the
// paths at which secrets are: whatever puts a value into a scope puts the paths of
// its marks there too, and whatever replaces it forgets them. This file is the only
// place that does either for values that arise in an operation.

// put adds a computed value to the scope under a name, with its marks in place of
// those that the name had.
func (r *run) put(name string, v any) {
	r.secrets.Forget(name)
	r.secrets.Within(v, value.PathTo(name))
	r.vars.Values[name] = expr.Reveal(v, nil)
}

// evaluated is what a template yields: with its marks, and without them. secret says
// that it has any.
type evaluated struct {
	marked, plain any
	secret        bool
}

// evaluate evaluates a template. The texts of the secrets that it yields are noted.
func (r *run) evaluate(v *expr.Value) (out evaluated, err error) {
	r.vars.Secrets = r.secrets.Paths
	if out.marked, err = v.Eval(r.vars); err != nil {
		return evaluated{}, err
	}
	out.plain = expr.Reveal(out.marked, func(value any) {
		out.secret = true
		r.secrets.Saw(value)
	})
	return out, nil
}

// hidesPart reports whether a step's result has secret members: by its type, or because
// they tell a secret argument.
func (r *run) hidesPart(s *plan.Step) bool {
	return s.Hides || s.Telling != nil && r.sendsSecret(s)
}

// declare marks what the type of a step's result declares secret, and what of the
// result tells a secret argument, under each name that the result has.
func (r *run) declare(s *plan.Step, result any) {
	marked := r.markedResult(s, result)
	expr.Reveal(marked, r.secrets.Saw)
	r.secrets.Forget("result")
	r.secrets.Within(marked, value.PathTo("result"))
	if s.Model.As != "" {
		r.secrets.Forget("steps", s.Model.As)
		r.secrets.Within(marked, value.PathTo("steps", s.Model.As))
	}
	members, _ := marked.(map[string]any)
	for _, name := range plan.ShorthandNames {
		r.secrets.Forget(name)
		if s.HasShorthands() {
			r.secrets.Within(members[name], value.PathTo(name))
		}
	}
}

// markedResult marks a step's result, or each of those of a forEach, whatever that
// goes over.
func (r *run) markedResult(s *plan.Step, value any) any {
	named, t := r.engine.program.Provider.Types, s.Result
	if s.Telling != nil && r.sendsSecret(s) {
		t = s.Telling
	}
	if s.ForEach == nil {
		return types.MarkDeclared(value, t, named)
	}
	switch results := value.(type) {
	case []any:
		return types.MarkDeclared(results, &spec.Type{Kind: spec.List, Elem: t}, named)
	case map[string]any:
		return types.MarkDeclared(results, &spec.Type{Kind: spec.Map, Elem: t}, named)
	default:
		return types.MarkDeclared(value, plan.StepType(s), named)
	}
}

// sendsSecret reports whether an argument of a step refers to what is marked as secret.
func (r *run) sendsSecret(s *plan.Step) bool {
	for _, a := range s.Args {
		if a.Value != nil && r.refersToMark(a.Value.Refs(), s.ForEach) {
			return true
		}
	}
	return false
}

func (r *run) refersToMark(refs []expr.Ref, forEach *expr.Value) bool {
	return slices.ContainsFunc(refs, func(ref expr.Ref) bool {
		if ref.Path[0] == "each" && forEach != nil {
			return r.refersToMark(forEach.Refs(), nil)
		}
		return slices.ContainsFunc(r.secrets.Paths, func(mark []string) bool { return overlap(ref.Path, mark) })
	})
}

// overlap reports whether two paths may lead to the same value, or one into what the
// other leads to.
func overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" && b[i] != "*" {
			return false
		}
	}
	return true
}

// loopElements are what a loop goes over, in order, each with its marks; the keys of a
// secret map are secret, too. listed tells a list from a map.
func loopElements(over any) (elements []loopElement, listed bool, err error) {
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
		elements = make([]loopElement, len(over))
		for i, item := range over {
			elements[i] = loopElement{text: strconv.Itoa(i), key: int64(i), value: mark(item)}
		}
		return elements, true, nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(over)) {
			elements = append(elements, loopElement{text: key, key: mark(key), value: mark(over[key]), secretKey: secret})
		}
		return elements, false, nil
	default:
		return nil, false, fmt.Errorf("forEach yields %s; expected a list or a map", actions.KindOf(over))
	}
}

// loopElement is one turn of a loop: its key as text, and as templates see it.
type loopElement struct {
	text       string
	key, value any
	secretKey  bool
}

// hiddenKey stands for the key of a secret map wherever a loop's element is named.
func (r *run) hiddenKey(key string) string {
	sum, _ := r.engine.keyed(key)
	return "secret-" + sum[:16]
}

// openText evaluates a text that everybody sees: what it is, in words.
func (r *run) openText(v *expr.Value, what string) (string, error) {
	if v == nil {
		return "", nil
	}
	out, err := r.evaluate(v)
	switch {
	case err != nil || out.marked == nil:
		return "", err
	case expr.HasUnknown(out.plain):
		return "", errNotKnown
	case out.secret:
		return "", fmt.Errorf("%s %w", what, errExposed)
	default:
		return value.Text(out.plain)
	}
}

// errExposed refuses to put a secret where others can read it.
var errExposed = errors.New("holds a secret, which others could read there: pass it where it stays hidden")

// exposes reports whether an argument puts a secret where others can read it: as
// a whole, in a part, or as the name of a member.
func exposes(decl *actions.Arg, v any) error {
	if decl.Exposed && holdsSecret(v) {
		return errExposed
	}
	for _, path := range decl.ExposedWithin {
		if inner, secret := memberAt(v, path); inner != nil && (secret || holdsSecret(inner)) {
			return fmt.Errorf("%s %w", path, errExposed)
		}
	}
	for _, path := range decl.ExposedNames {
		inner, secret := memberAt(v, path)
		if _, whole := inner.(expr.Secret); inner != nil && (secret || whole) {
			return errors.New("has names that are secret, which others could read: make only its values secret")
		}
	}
	return nil
}

// memberAt is what stands at a dotted path within a value with marks, nil where
// nothing does; secret says that a mark is on the way.
func memberAt(v any, path string) (inner any, secret bool) {
	if path == "" {
		return v, false
	}
	for name := range strings.SplitSeq(path, ".") {
		if s, ok := v.(expr.Secret); ok {
			v, secret = s.Value, true
		}
		members, _ := v.(map[string]any)
		if v = members[name]; v == nil {
			return nil, false
		}
	}
	return v, secret
}

func holdsSecret(v any) bool {
	found := false
	expr.Reveal(v, func(any) { found = true })
	return found
}
