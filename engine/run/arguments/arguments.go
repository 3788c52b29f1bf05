// Package arguments evaluates the arguments of a step for its action.
package arguments

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// evaluator evaluates the arguments of one call.
type evaluator struct {
	*scope.Scope
	call *actions.Call
}

// Evaluate evaluates the arguments of a step in a scope, and passes them to a call:
// values, parts, and expressions that the action evaluates later. It also records
// which arguments contain a secret, and where each comes from.
//
// It returns scope.ErrNotKnown if an argument is unknown, and scope.ErrExposed if
// others could read a secret in an argument.
func Evaluate(in *scope.Scope, s *plan.Step, call *actions.Call) error {
	e := evaluator{in, call}
	call.Args = make(map[string]any, len(s.Args))
	call.Parts, call.Late = map[string][]spec.Part{}, map[string]actions.LateExpr{}
	for name, a := range s.Args {
		if err := e.evaluate(name, a); err != nil {
			return cmp.Or(e.firstError(s), fmt.Errorf("argument %q: %w", name, err))
		}
	}
	return e.addOrigins(s)
}

// firstError returns the error of the first argument, by name, that has one, so that each run has the
// same one.
func (e *evaluator) firstError(s *plan.Step) error {
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		if err := e.evaluate(name, s.Args[name]); err != nil {
			return fmt.Errorf("argument %q: %w", name, err)
		}
	}
	return nil
}

// addOrigins records where the arguments of the call come from.
func (e *evaluator) addOrigins(s *plan.Step) error {
	e.call.Source = func(argument string) actions.Source {
		name, member, _ := strings.Cut(argument, ".")
		a := s.Args[name]
		return a.Source(member)
	}
	e.call.LateKey = func(path string) string {
		name, _, _ := strings.Cut(path, ".")
		return e.lateKey(path, s.Args[name].Parts.ByPath[path])
	}
	for name, d := range s.Recalled {
		v, err := e.Eval(d.Value)
		if err == nil && expr.HasUnknown(v) {
			err = scope.ErrNotKnown
		}
		if err != nil {
			return fmt.Errorf("argument %q: %w", name, err)
		}
		if e.call.Defaults == nil {
			e.call.Defaults = map[string]any{}
		}
		e.call.Defaults[name] = v
	}
	return nil
}

// lateKey returns a text that identifies a late expression: its template, and the
// values to which it refers, without the response.
func (e *evaluator) lateKey(path string, p plan.Part) string {
	if p.Value == nil {
		return ""
	}
	key := []any{p.Node.Text}
	for _, ref := range p.Refs() {
		key = append(key, ref.Path, expr.Reveal(e.Vars.Values[ref.Path[0]], nil))
	}
	data, err := json.Marshal(key)
	if err != nil {
		return e.call.Key + path + strings.Repeat("?", len(key)) // unique to this run
	}
	return string(data)
}

// evaluate passes one argument to the call, and its parts that the action gets
// separately.
func (e *evaluator) evaluate(name string, a plan.Argument) error {
	for path, p := range a.Parts.All() {
		if p.Mode == actions.Late {
			e.call.Late[path] = e.late(p.Value)
		} else if err := e.parts(path, p.Value); err != nil {
			return err
		}
	}
	switch {
	case a.Decl.Mode == actions.Typed:
		e.call.Args[name] = true
		return nil
	case a.Decl.Mode == actions.Path:
		return e.parts(name, a.Value)
	case a.Decl.Mode == actions.Words:
		return e.words(name, a)
	case a.Value == nil:
		return nil
	}
	return e.argument(name, a)
}

// argument evaluates one argument. It omits null.
func (e *evaluator) argument(name string, a plan.Argument) error {
	out, err := e.Evaluate(a.Value)
	if err != nil {
		return err
	}
	if out.Secret {
		if err := checkExposure(a.Decl, out.Marked); err != nil {
			return err
		}
		e.call.Hidden = addHidden(e.call.Hidden, name, out.Marked)
	}
	if e.Echoes(a.Value, out.Plain) {
		if err := checkExposure(a.Decl, e.MarkEchoes(out.Plain)); err != nil {
			return err
		}
	}
	v := out.Plain
	if a.Decl.Wire && v != nil && !expr.HasUnknown(v) {
		if v = omitAbsent(v, a.Rest); a.Renamed {
			v = e.Naming.ToWire(v, a.Value.Type())
		}
	}
	if a.Under != nil {
		if v, err = e.withDefaults(name, a.Under, v); err != nil {
			return err
		}
	}
	if expr.HasUnknown(v) {
		return scope.ErrNotKnown
	}
	if v == nil {
		return checkOmitted(a)
	}
	if a.Decl.Type.Kind == spec.Int {
		if n, ok := value.Whole(v); ok {
			v = n
		}
	}
	if err := checkKind(v, a.Decl.Type); err != nil {
		return err
	}
	e.call.Args[name] = v
	return nil
}

// checkOmitted returns an error if an argument must not be omitted.
func checkOmitted(a plan.Argument) error {
	switch {
	case a.Decl.Required && !a.Decl.Type.Nullable:
		return errors.New("is required, got null")
	case a.Decl.NotNull && a.Node.Kind != spec.NullNode:
		return errors.New("must not be null, because it would be omitted silently; add an `if` to the step, and a second step for the other case")
	default:
		return nil
	}
}

// addHidden returns a function that also reports an argument, and its parts by their
// dotted paths, that contain a secret.
func addHidden(others func(string) bool, name string, v any) func(string) bool {
	var marks value.Secrets
	marks.MarkSecrets(v, strings.Split(name, "."))
	return func(asked string) bool {
		path := strings.Split(asked, ".")
		return slices.ContainsFunc(marks.Paths, func(mark []string) bool { return scope.Overlap(path, mark) }) || others != nil && others(asked)
	}
}

// withDefaults returns the family's default, in which the argument's own members
// replace those of the default.
func (e *evaluator) withDefaults(name string, under *plan.Argument, own any) (any, error) {
	below, err := e.Evaluate(under.Value)
	if err != nil {
		return nil, err
	}
	members, ok := own.(map[string]any)
	defaults, both := below.Plain.(map[string]any)
	if !ok || !both {
		return own, nil
	}
	if marked, ok := below.Marked.(map[string]any); ok && below.Secret {
		left := maps.Clone(marked)
		maps.DeleteFunc(left, func(member string, _ any) bool { _, given := members[member]; return given })
		if scope.HoldsSecret(left) {
			e.call.Hidden = addHidden(e.call.Hidden, name, left)
		}
	}
	out := maps.Clone(defaults)
	maps.Copy(out, members)
	return out, nil
}

// omitAbsent omits the nulls of members that have a template. It keeps nulls that are
// data: a change to null, a null in a response, or one that the author wrote.
func omitAbsent(v any, n *spec.Node) any {
	members, ok := v.(map[string]any)
	switch {
	case ok && n.Kind == spec.MapNode:
		out := make(map[string]any, len(members))
		for _, f := range n.Fields {
			if item := members[f.Name]; item != nil || f.Value.Kind == spec.NullNode {
				out[f.Name] = omitAbsent(item, f.Value)
			}
		}
		return out
	case n.Kind == spec.ListNode:
		items, _ := v.([]any)
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = omitAbsent(item, n.Items[i])
		}
		return out
	default:
		return v
	}
}

// checkKind returns an error if an argument has the wrong kind. vet has checked most
// arguments, except those from untyped responses.
func checkKind(v any, t *spec.Type) error {
	ok := true
	switch t.Kind {
	case spec.String:
		_, ok = v.(string)
	case spec.Bool:
		_, ok = v.(bool)
	case spec.Int:
		_, ok = v.(int64)
	case spec.List:
		_, ok = v.([]any)
	case spec.Map, spec.Object:
		_, ok = v.(map[string]any)
	case spec.Asset, spec.Archive:
		_, ok = v.(*spec.File)
	}
	if !ok {
		return fmt.Errorf("expected %s, got %s", value.Describe(t), actions.KindOf(v))
	}
	return nil
}

func (e *evaluator) parts(name string, v *expr.Value) error {
	e.Vars.Secrets = e.Secrets.Paths
	parts, err := v.Parts(e.Vars)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.Unknown {
			return scope.ErrNotKnown
		}
		if p.Secret || !p.Literal && e.Echoes(v, p.Text) {
			return scope.ErrExposed // arguments with parts are public
		}
		e.call.Parts[name] = append(e.call.Parts[name], spec.Part{Text: p.Text, Literal: p.Literal})
	}
	return nil
}

// late returns a function that evaluates an argument when the action calls it.
func (e *evaluator) late(v *expr.Value) actions.LateExpr {
	return func(extra map[string]any) (any, error) {
		values := make(map[string]any, len(e.Vars.Values)+len(extra))
		maps.Copy(values, e.Vars.Values)
		for name, value := range extra {
			if t, ok := value.(time.Time); ok {
				value = expr.Time(t)
			}
			values[name] = value
		}
		vars := *e.Vars
		vars.Values, vars.Secrets = values, e.Secrets.Paths
		out, err := v.Eval(&vars)
		if err != nil {
			return nil, err
		}
		return expr.Reveal(out, e.Secrets.AddResult(v)), nil
	}
}

// words evaluates a list of words.
func (e *evaluator) words(name string, a plan.Argument) error {
	e.call.Parts[name] = make([]spec.Part, 0, len(a.Words))
	e.Vars.Secrets = e.Secrets.Paths
	for _, w := range a.Words {
		parts, err := e.word(w)
		if err != nil {
			return err
		}
		e.call.Parts[name] = append(e.call.Parts[name], parts...)
	}
	if len(e.call.Parts[name]) == 0 && a.Decl.Required {
		return errors.New("is empty")
	}
	return nil
}

// word evaluates one word, or several in a list. Words are public.
func (e *evaluator) word(w plan.Word) ([]spec.Part, error) {
	v, err := w.Value.Eval(e.Vars)
	if err != nil {
		return nil, err
	}
	if expr.HasUnknown(v) {
		return nil, scope.ErrNotKnown
	}
	secret := false
	v = expr.Reveal(v, func(any) { secret = true })
	if secret || e.Echoes(w.Value, v) {
		return nil, fmt.Errorf("%s %w", w.Name, scope.ErrExposed)
	}
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	var parts []spec.Part
	for _, item := range items {
		if item == nil {
			continue
		}
		text, err := value.Text(item)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		parts = append(parts, spec.Part{Text: text, Literal: w.Author})
	}
	return parts, nil
}

// checkExposure returns an error if others could read a secret in an argument: as a
// whole, in a part, or as the name of a member.
func checkExposure(decl *actions.Arg, v any) error {
	if decl.Exposed && scope.HoldsSecret(v) {
		return scope.ErrExposed
	}
	if items, isList := v.([]any); isList {
		for _, item := range items {
			if err := checkExposureWithin(decl, item); err != nil {
				return err
			}
		}
		return nil
	}
	return checkExposureWithin(decl, v)
}

// checkExposureWithin does that for the parts of a value: of the argument, or of one of its
// items.
func checkExposureWithin(decl *actions.Arg, v any) error {
	for _, path := range decl.ExposedWithin {
		if inner, secret := memberAt(v, path); inner != nil && (secret || scope.HoldsSecret(inner)) {
			return fmt.Errorf("%s %w", path, scope.ErrExposed)
		}
	}
	for _, path := range decl.ExposedNames {
		inner, secret := memberAt(v, path)
		if _, whole := inner.(expr.Secret); inner != nil && (secret || whole) {
			return fmt.Errorf("%shas members with secret names, which other users can read; make only the values secret", prefix(path))
		}
	}
	return nil
}

// prefix returns a path with a space after it, or "" for the argument itself.
func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + " "
}

// memberAt returns the value at a dotted path within a value with marks, or nil.
// secret is true if a value on the path is marked.
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
