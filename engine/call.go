package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// call evaluates a step's arguments.
func (r *run) call(ctx context.Context, s *plan.Step, attempt int) (*actions.Call, error) {
	env, err := permit.WithNamed(s, r.env, r.Vars)
	if err != nil {
		return nil, err
	}
	call := &actions.Call{
		Args: make(map[string]any, len(s.Args)), Parts: map[string][]spec.Part{}, Late: map[string]actions.LateExpr{},
		Env:        env,
		Written:    func(name string) bool { return s.Args[name].Node != nil },
		Key:        r.key,
		Mark:       r.markOf(s),
		ETag:       r.etag,
		Attempt:    attempt,
		Limit:      r.limit,
		Values:     r.engine.program.MaxValues(),
		Wants:      s.Needs,
		Secret:     func(text string) { r.Secrets.Values = append(r.Secrets.Values, text) },
		Mask:       func(text string) string { return r.Mask().Text(text) },
		Unfinished: func(text string) int { return r.Mask().Unfinished(text) },
		Secrets:    slices.Concat(r.secretNames, s.SecretNames),
		Progress: func(text string) {
			if ctx.Err() == nil {
				r.log.Status(text)
			}
		},
		Log: func(text string, detail bool) {
			severity := Info
			if detail {
				severity = Debug
			}
			r.log.Message(severity, text)
		},
	}
	if s.Returns {
		call.Receive = func(v any, form actions.Form) (any, error) { return s.Arrives.Receive(v, s.Yield, form) }
		call.Adapt = s.Arrives.Adapt
	}
	for name, a := range s.Args {
		if err := r.evalArgument(call, name, a); err != nil {
			return nil, fmt.Errorf("argument %q: %w", name, err)
		}
	}
	return call, r.origins(call, s)
}

// origins adds to a call what it knows of where its arguments come from.
func (r *run) origins(call *actions.Call, s *plan.Step) error {
	call.Source = func(argument string) actions.Source {
		name, member, _ := strings.Cut(argument, ".")
		a := s.Args[name]
		return a.Source(member)
	}
	call.LateKey = func(path string) string {
		name, _, _ := strings.Cut(path, ".")
		return r.lateKey(path, s.Args[name].Parts.ByPath[path])
	}
	for name, d := range s.Recalled {
		v, err := r.Eval(d.Value)
		if err == nil && expr.HasUnknown(v) {
			err = scope.ErrNotKnown
		}
		if err != nil {
			return fmt.Errorf("argument %q: %w", name, err)
		}
		if call.Defaults == nil {
			call.Defaults = map[string]any{}
		}
		call.Defaults[name] = v
	}
	return nil
}

// lateKey tells late expressions apart: by their text, and by all that they refer to but
// the response.
func (r *run) lateKey(path string, p plan.Part) string {
	if p.Value == nil {
		return ""
	}
	key := []any{p.Node.Text}
	for _, ref := range p.Refs() {
		key = append(key, ref.Path, expr.Reveal(r.Vars.Values[ref.Path[0]], nil))
	}
	data, err := json.Marshal(key)
	if err != nil {
		return r.key + path + strings.Repeat("?", len(key)) // of this run alone
	}
	return string(data)
}

// evalArgument gives the call an argument, and what of it comes apart.
func (r *run) evalArgument(call *actions.Call, name string, a plan.Argument) error {
	for path, p := range a.Parts.All() {
		if p.Mode == actions.Late {
			call.Late[path] = r.late(p.Value)
		} else if err := r.parts(call, path, p.Value); err != nil {
			return err
		}
	}
	switch {
	case a.Decl.Mode == actions.Typed:
		call.Args[name] = true
		return nil
	case a.Decl.Mode == actions.Path:
		return r.parts(call, name, a.Value)
	case a.Decl.Mode == actions.Words:
		return r.words(call, name, a)
	case a.Value == nil:
		return nil
	}
	return r.argument(call, name, a)
}

// argument evaluates one argument; null leaves it out.
func (r *run) argument(call *actions.Call, name string, a plan.Argument) error {
	out, err := r.Evaluate(a.Value)
	if err != nil {
		return err
	}
	if out.Secret {
		if err := exposes(a.Decl, out.Marked); err != nil {
			return err
		}
		call.Hidden = hiding(call.Hidden, name, out.Marked)
	}
	v := out.Plain
	if a.Under != nil {
		if v, err = r.over(call, name, a.Under, v); err != nil {
			return err
		}
	}
	if expr.HasUnknown(v) {
		return scope.ErrNotKnown
	}
	if v == nil {
		switch {
		case a.Decl.Required && !a.Decl.Type.Nullable:
			return errors.New("is null, and is needed")
		case a.Decl.NotNull && a.Node.Kind != spec.NullNode:
			return errors.New("is null, which would drop it unseen; give the step an `if`, and a second one for what is to be done without it")
		}
		return nil
	}
	v = whole(v, a.Decl.Type)
	if err := fits(v, a.Decl.Type); err != nil {
		return err
	}
	if a.Decl.Wire {
		if v = present(v, a.Rest); a.Renamed {
			v = r.Naming.Out(v, a.Value.Type())
		}
	}
	call.Args[name] = v
	return nil
}

// hiding adds an argument, and its parts by their dotted paths, to those that hold a
// secret.
func hiding(others func(string) bool, name string, v any) func(string) bool {
	var marks value.Secrets
	marks.Within(v, strings.Split(name, "."))
	return func(asked string) bool {
		path := strings.Split(asked, ".")
		return slices.ContainsFunc(marks.Paths, func(mark []string) bool { return scope.Overlap(path, mark) }) || others != nil && others(asked)
	}
}

// over is the family's default with an argument's own members over it.
func (r *run) over(call *actions.Call, name string, under *plan.Argument, own any) (any, error) {
	below, err := r.Evaluate(under.Value)
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
			call.Hidden = hiding(call.Hidden, name, left)
		}
	}
	out := maps.Clone(defaults)
	maps.Copy(out, members)
	return out, nil
}

// present leaves out what is absent: the null of a member whose template is
// written out. A null that is data (a change to null, a null of an answer, one
// that the author wrote) stays.
func present(v any, n *spec.Node) any {
	members, ok := v.(map[string]any)
	switch {
	case ok && n.Kind == spec.MapNode:
		out := make(map[string]any, len(members))
		for _, f := range n.Fields {
			if item := members[f.Name]; item != nil || f.Value.Kind == spec.NullNode {
				out[f.Name] = present(item, f.Value)
			}
		}
		return out
	case n.Kind == spec.ListNode:
		items, _ := v.([]any)
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = present(item, n.Items[i])
		}
		return out
	default:
		return v
	}
}

// whole is a whole number as an integer, where one is wanted.
func whole(v any, t *spec.Type) any {
	if t.Kind != spec.Int {
		return v
	}
	switch n := v.(type) {
	case json.Number:
		if i, err := n.Int64(); err == nil {
			return i
		}
	case float64:
		return value.Untyped.PlainNumber(n)
	}
	return v
}

// fits refuses an argument of the wrong kind. Most were typed by vet; what came
// from an untyped answer was not.
func fits(v any, t *spec.Type) error {
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
		return fmt.Errorf("is %s, and %s is wanted", actions.KindOf(v), value.Describe(t))
	}
	return nil
}

func (r *run) parts(call *actions.Call, name string, v *expr.Value) error {
	r.Vars.Secrets = r.Secrets.Paths
	parts, err := v.Parts(r.Vars)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.Unknown {
			return scope.ErrNotKnown
		}
		if p.Secret {
			return scope.ErrExposed // of all arguments, those that come in parts are exposed
		}
		call.Parts[name] = append(call.Parts[name], spec.Part{Text: p.Text, Literal: p.Literal})
	}
	return nil
}

// late evaluates an argument when the action asks for it.
func (r *run) late(v *expr.Value) actions.LateExpr {
	return func(extra map[string]any) (any, error) {
		values := make(map[string]any, len(r.Vars.Values)+len(extra))
		for _, m := range []map[string]any{r.Vars.Values, extra} {
			for name, value := range m {
				values[name] = value
			}
		}
		vars := *r.Vars
		vars.Values, vars.Secrets = values, r.Secrets.Paths
		out, err := v.Eval(&vars)
		if err != nil {
			return nil, err
		}
		return expr.Reveal(out, r.Secrets.Saw), nil
	}
}

// words evaluates a list of words.
func (r *run) words(call *actions.Call, name string, a plan.Argument) error {
	call.Parts[name] = make([]spec.Part, 0, len(a.Words))
	r.Vars.Secrets = r.Secrets.Paths
	for _, w := range a.Words {
		v, err := w.Value.Eval(r.Vars)
		if err != nil {
			return err
		}
		if expr.HasUnknown(v) {
			return scope.ErrNotKnown
		}
		secret := false
		v = expr.Reveal(v, func(any) { secret = true })
		if secret {
			return fmt.Errorf("%s holds a secret, which others could read there: pass it where it stays hidden", w.Name)
		}
		items, isList := v.([]any)
		if !isList {
			items = []any{v}
		}
		for _, item := range items {
			if item == nil {
				continue
			}
			text, err := value.Text(item)
			if err != nil {
				return fmt.Errorf("%s: %w", w.Name, err)
			}
			call.Parts[name] = append(call.Parts[name], spec.Part{Text: text, Literal: w.Author})
		}
	}
	if len(call.Parts[name]) == 0 && a.Decl.Required {
		return errors.New("is empty")
	}
	return nil
}

// exposes reports whether an argument puts a secret where others can read it: as
// a whole, in a part, or as the name of a member.
func exposes(decl *actions.Arg, v any) error {
	if decl.Exposed && scope.HoldsSecret(v) {
		return scope.ErrExposed
	}
	for _, path := range decl.ExposedWithin {
		if inner, secret := memberAt(v, path); inner != nil && (secret || scope.HoldsSecret(inner)) {
			return fmt.Errorf("%s %w", path, scope.ErrExposed)
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
