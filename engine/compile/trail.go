package compile

import (
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// trail is the scope as it grows from step to step.
type trail struct {
	scope *expr.Scope
	named *spec.Type // the type of `steps`
	steps []*plan.Step
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
func (t *trail) after(s *plan.Step) {
	t.steps = append(t.steps, s)
	t.add(s, plan.StepType(s), func(p *spec.Type) *spec.Type { return p })
	t.scope = knowing(t.scope, s.Established())
	if t.missing != nil {
		yields := *plan.StepType(s)
		if s.ForEach != nil && yields.Elem != nil { // else of any type, which may be null
			yields.Elem = plan.OrNull(yields.Elem)
		}
		t.missing.add(s, plan.OrNull(&yields), plan.OrNull)
	}
}

// add adds the names of a step that yields a type; member is that of a member of
// its answer.
func (t *trail) add(s *plan.Step, yields *spec.Type, member func(*spec.Type) *spec.Type) {
	names := []expr.Name{{Name: "result", Type: yields}}
	if s.Model.As != "" {
		named := *t.named
		named.Fields = append(slices.Clone(named.Fields), &spec.Property{Name: s.Model.As, Type: yields, Required: true})
		t.named = &named
		names = append(names, expr.Name{Name: "steps", Type: t.named})
	}
	for _, n := range plan.Shorthands(s) {
		names = append(names, expr.Name{Name: n.Name, Type: member(n.Type)})
	}
	t.scope = with(t.scope, names...)
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
