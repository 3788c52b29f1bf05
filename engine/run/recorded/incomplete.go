package recorded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
)

// IncompleteError reports required properties that an operation relies on and that the recorded
// state lacks: an older spec wrote the state, an import did not give them, or the response of a
// create without a read did not have them. The operation is refused before anything is sent.
type IncompleteError struct {
	// Type is the type of the resource, What the operation, Properties the missing properties.
	Type, What string
	Properties []string
	// Remedy says what to do.
	Remedy string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("the recorded state of this %s has no %s, which its %s relies on; nothing was done. %s", e.Type, strings.Join(e.Properties, ", no "), e.What, e.Remedy)
}

// CheckCompleteFor returns an *IncompleteError if an operation relies on properties that the
// recorded state lacks. reliesOn reports whether it relies on a property.
func CheckCompleteFor(res *plan.Resource, s State, what plan.Verb, reliesOn func(property string) bool) error {
	var relied []string
	for _, name := range missingProperties(res, s) {
		if reliesOn(name) {
			relied = append(relied, name)
		}
	}
	if relied == nil {
		return nil
	}
	return &IncompleteError{Type: res.Spec.Name, What: string(what), Properties: relied, Remedy: missingRemedy(res, relied[0])}
}

// CheckComplete is CheckCompleteFor for an operation of the resource.
func CheckComplete(res *plan.Resource, s State, v plan.Verb) error {
	return CheckCompleteFor(res, s, v, func(property string) bool { return res.ReliesOn(v, property) })
}

// missingRemedy returns what adds a missing property to a state.
func missingRemedy(r *plan.Resource, name string) string {
	p, out := r.Inputs.ByName[name], r.Outputs.ByName[name]
	switch {
	case p == nil && out != nil && out.NoRead:
		return "Only its create provides it (`@noRead()`). In the spec, guard the template (`state." + name + " != null`)."
	case r.Read != nil && (p == nil || !p.NoRead):
		return "Run `pulumi refresh`, which reads it."
	case p != nil:
		return "In the spec, let `import` provide it, or guard the template (`state." + name + " != null`)."
	default:
		return "In the spec, give the resource a `read`, or guard the template (`state." + name + " != null`)."
	}
}

// missingProperties returns the required properties that a recorded state lacks, whole or in part.
func missingProperties(r *plan.Resource, s State) []string {
	var names []string
	for _, m := range r.Outputs.Fields {
		if m.Required && !r.Unsure[m.Name] && m.Check.Lacks(s.Outputs.Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	for _, m := range r.Inputs.Fields {
		if m.Optional() || !m.Check.Lacks(s.Inputs.Get(m.Name)) || slices.Contains(names, m.Name) {
			continue
		}
		if m.Check.Lacks(WithDefaults(r, s).Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	return names
}
