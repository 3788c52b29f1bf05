package scopes

import (
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Trail is a scope that grows from step to step of an operation.
type Trail struct {
	Scope *expr.Scope
	Steps []*plan.Step
	// Missing is the trail of a delete in which the results of steps may also be null, because
	// the steps found nothing; in other operations it is nil. Steps that need such a result are
	// skipped then. Those with an `if` decide themselves, in this scope.
	Missing *Trail
	// Proves is true in a read and a find: there, `gone` must not take a response that says nothing for one that says
	// that the object does not exist.
	Proves bool
	// Removes is true in a delete and in undo steps.
	Removes bool
	// Whole is true for a create or update of one step: if that is skipped, nothing is returned, so
	// what follows it need not expect that.
	Whole bool
	// named is the type of `steps`.
	named *spec.Type
}

// NewTrail returns a trail that starts with a scope.
func NewTrail(s *expr.Scope) *Trail {
	return &Trail{Scope: s, named: &spec.Type{Kind: spec.Object}}
}

// Undo returns the trail of the undo steps of the step that was added last. As in a delete, each of them may find nothing.
func (t *Trail) Undo(names ...expr.Name) *Trail {
	undo := func() *Trail { return &Trail{Scope: Extend(t.Scope, names...), named: t.named, Removes: true} }
	out := undo()
	out.Missing = undo()
	return out
}

// Deciding returns the scope of what decides whether a step runs, and for which elements.
func (t *Trail) Deciding(m *spec.Step) *expr.Scope {
	if t.Missing != nil && m.If != nil {
		return t.Missing.Scope
	}
	return t.Scope
}

// Add adds a step, and the names that it gives the steps after it.
func (t *Trail) Add(s *plan.Step) {
	t.Steps = append(t.Steps, s)
	t.addNames(s, plan.StepType(s), func(p *spec.Type) *spec.Type { return p })
	t.Scope = assumePresent(t.Scope, s.Established())
	if t.Missing != nil {
		yields := *plan.StepType(s)
		if s.ForEach != nil && yields.Elem != nil { // else of any type, which may be null
			yields.Elem = plan.OrNull(yields.Elem)
		}
		t.Missing.addNames(s, plan.OrNull(&yields), plan.OrNull)
	}
}

// addNames adds the names of a step with a result of a type. member returns the type that a member
// of the result has in the scope.
func (t *Trail) addNames(s *plan.Step, result *spec.Type, member func(*spec.Type) *spec.Type) {
	names := []expr.Name{{Name: "result", Type: result}}
	if s.Model.As != "" {
		named := *t.named
		named.Fields = append(slices.Clone(named.Fields), &spec.Property{Name: s.Model.As, Type: result, Required: true})
		t.named = &named
		names = append(names, expr.Name{Name: "steps", Type: t.named})
	}
	for _, n := range plan.Shorthands(s) {
		of := member(n.Type)
		if s.Model.If != nil && !t.Whole {
			of = plan.OrNull(of) // of a step that is skipped
		}
		names = append(names, expr.Name{Name: n.Name, Type: of})
	}
	t.Scope = Extend(t.Scope, names...)
}
