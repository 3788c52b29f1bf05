package engine

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// trail is the scope as it grows from step to step.
type trail struct {
	scope *expr.Scope
	named *spec.Type // the type of `steps`
	steps []*step
	// missing is, in a delete, the scope in which the results of steps are also
	// null: where they found nothing. Steps that are made of one are skipped
	// then, but for those with an `if`, which decide with this scope; see
	// orphaned. Elsewhere nil.
	missing *trail
}

// deciding is the scope of what says whether a step runs, and for what.
func (t *trail) deciding(m *spec.Step) *expr.Scope {
	if t.missing != nil && m.If != nil {
		return t.missing.scope
	}
	return t.scope
}

func newTrail(s *expr.Scope) *trail {
	return &trail{scope: s, named: &spec.Type{Kind: spec.Object}}
}

// after adds a finished step's names.
func (t *trail) after(s *step) {
	t.steps = append(t.steps, s)
	t.add(s, stepType(s), func(p *spec.Type) *spec.Type { return p })
	t.scope = knowing(t.scope, s.established())
	if t.missing != nil {
		yields := *stepType(s)
		if s.forEach != nil && yields.Elem != nil { // else of any type, which may be null
			yields.Elem = orNull(yields.Elem)
		}
		t.missing.add(s, orNull(&yields), orNull)
	}
}

// established are the paths that are known not to be null once the step is done:
// what its `until` says, and what its refused, fail and gone would have found.
func (s *step) established() [][]string {
	if s.model.If != nil || s.forEach != nil {
		return nil // it may not have run, or yields a list
	}
	var paths [][]string
	if s.until != nil {
		paths = append(paths, s.until.Present()...)
	}
	for _, v := range []*expr.Value{s.refused, s.fail, s.gone} {
		if v != nil {
			paths = append(paths, v.Passed()...)
		}
	}
	return s.aliased(paths)
}

// aliased adds to the paths of the step's response those by its other names:
// body id is also result body id, and steps NAME body id.
func (s *step) aliased(paths [][]string) [][]string {
	out := slices.Clone(paths)
	for _, path := range paths {
		whole := path
		switch {
		case path[0] == "result":
			if len(path) > 1 && s.hasShorthands() && slices.Contains(shorthandNames, path[1]) {
				out = append(out, path[1:])
			}
		case slices.Contains(shorthandNames, path[0]) && s.hasShorthands():
			whole = append([]string{"result"}, path...)
			out = append(out, whole)
		default:
			continue
		}
		if s.model.As != "" {
			out = append(out, append([]string{"steps", s.model.As}, whole[1:]...))
		}
	}
	return out
}

// orNull is the type, and null.
func orNull(t *spec.Type) *spec.Type {
	if t.Nullable || t.Kind == spec.Any && t.Ref == "" {
		return t
	}
	nullable := *t
	nullable.Nullable = true
	return &nullable
}

// add adds the names of a step that yields a type; member is that of a member of
// its answer.
func (t *trail) add(s *step, yields *spec.Type, member func(*spec.Type) *spec.Type) {
	names := []expr.Name{{Name: "result", Type: yields}}
	if s.model.As != "" {
		named := *t.named
		named.Fields = append(slices.Clone(named.Fields), &spec.Property{Name: s.model.As, Type: yields, Required: true})
		t.named = &named
		names = append(names, expr.Name{Name: "steps", Type: t.named})
	}
	for _, n := range shorthands(s) {
		names = append(names, expr.Name{Name: n.Name, Type: member(n.Type)})
	}
	t.scope = with(t.scope, names...)
}

// shorthands are `body`, `status` and `headers`: members of an http result that
// may be written without `result.`.
func shorthands(s *step) []expr.Name {
	if !s.hasShorthands() {
		return nil
	}
	var names []expr.Name
	for _, member := range shorthandNames {
		if p := s.result.Field(member); p != nil {
			names = append(names, expr.Name{Name: member, Type: p.Type})
		}
	}
	return names
}

func (s *step) hasShorthands() bool {
	return s.family != nil && s.family.Name == "http" && s.forEach == nil
}

// stepType is the type of what a step yields: null where its `if` was false, a
// list or map where it ran for each.
func stepType(s *step) *spec.Type {
	t := s.result
	if t == nil {
		t = &spec.Type{}
	}
	if s.model.If != nil {
		t = orNull(t)
	}
	if s.forEach == nil {
		return t
	}
	return perElement(s.over, t)
}

// over is how a forEach over values of a type yields its results: as a list or as a
// map, or spec.Any where only the value says.
func over(types spec.Types, v *expr.Value) spec.Kind {
	if v == nil {
		return spec.Any
	}
	switch t := types.Resolve(v.Type()); t.Kind {
	case spec.List:
		return spec.List
	case spec.Map, spec.Object:
		return spec.Map
	default:
		return spec.Any
	}
}

// perElement is the type of results of a type, one for each element.
func perElement(kind spec.Kind, t *spec.Type) *spec.Type {
	if kind == spec.Any {
		return &spec.Type{}
	}
	return &spec.Type{Kind: kind, Elem: t}
}
