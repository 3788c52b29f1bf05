package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// vet lets templates rely on what a type requires, and a recorded state may lack it: an
// older spec wrote it, an import did not give it, or the response of a create that has no
// read did not have it. An operation that relies on it is refused before anything is sent.

// IncompleteError reports properties that an operation relies on and the recorded state
// lacks.
type IncompleteError struct {
	// Type is the resource's, What the operation, Properties what is lacking.
	Type, What string
	Properties []string
	// Remedy says what to do.
	Remedy string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("the recorded state of this %s has no %s, which its %s relies on; nothing was done. %s", e.Type, strings.Join(e.Properties, ", no "), e.What, e.Remedy)
}

// lackError reports that a step relies on what the response of an earlier one should
// have given. The null that it met is what that response lacked, when it was told that it
// does not fit; no guard in the template is asked for.
type lackError struct {
	earlier string
	goesOn  bool
}

func (e *lackError) Error() string {
	text := fmt.Sprintf("it needs what %s was to give, and the response to that did not fit what it `returns`", e.earlier)
	if !e.goesOn {
		return text
	}
	return text + "; correct the type, then run `pulumi refresh` and `pulumi up`"
}

// misfit notes that a step was done, and that its response is not of its type.
func (r *run) misfit(step int) {
	if r.misfits == nil {
		r.misfits = map[int]bool{}
	}
	r.misfits[step] = true
}

// lacking is the error of a step: a lackError where an expression has no value because an
// earlier response, on which the step relies, did not fit its type.
func (r *run) lacking(s *plan.Step, err error) error {
	var failed *StepError
	if !errors.As(err, new(*expr.EvalError)) || !errors.As(err, &failed) {
		return err
	}
	for i := range s.Index {
		if r.misfits[i] && r.op.RelyOn(map[int]bool{i: true})[s.Index] {
			told := *failed
			told.Err = &lackError{earlier: r.op.Steps[i].Name, goesOn: r.verb != plan.Create}
			return &told
		}
	}
	return err
}

// complete refuses an operation that relies on what a recorded state lacks.
func complete(res *plan.Resource, s State, what plan.Verb, reliesOn func(property string) bool) error {
	var relied []string
	for _, name := range lackingIn(res, s) {
		if reliesOn(name) {
			relied = append(relied, name)
		}
	}
	if relied == nil {
		return nil
	}
	return &IncompleteError{Type: res.Spec.Name, What: string(what), Properties: relied, Remedy: remedyForLack(res, relied[0])}
}

// completeFor is complete for an operation of the resource.
func completeFor(res *plan.Resource, s State, v plan.Verb) error {
	return complete(res, s, v, func(property string) bool { return res.ReliesOn(v, property) })
}

// remedyForLack says how a state comes by a property.
func remedyForLack(r *plan.Resource, name string) string {
	p := r.Inputs.ByName[name]
	switch {
	case r.Read != nil && (p == nil || !p.NoRead):
		return "Run `pulumi refresh`, which reads it."
	case p != nil:
		return "An import does not give it. In the spec, put it into `import`, or guard the template (`state." + name + " != null`)."
	default:
		return "In the spec, give the resource a `read`, or guard the template (`state." + name + " != null`)."
	}
}

// lackingIn are the properties that a recorded state lacks, whole or in part, and that its
// type requires.
func lackingIn(r *plan.Resource, s State) []string {
	var names []string
	for _, m := range r.Outputs.Fields {
		if m.Required && !r.Unsure[m.Name] && m.Check.Lacks(s.Outputs.Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	for _, m := range r.Inputs.Fields {
		if !plan.CheckedRequired(m.Property) || !m.Check.Lacks(s.Inputs.Get(m.Name)) || slices.Contains(names, m.Name) {
			continue
		}
		if m.Check.Lacks(filled(r, s).Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	return names
}
