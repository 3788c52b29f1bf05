package recorded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
)

// CheckCompleteFor returns an error if an operation relies on required properties that the recorded
// state lacks: an older spec wrote the state, an import did not give them, or the response of a
// create without a read did not have them. It is called before anything is sent. reliesOn reports
// whether the operation relies on a property.
func CheckCompleteFor(res *plan.Resource, s State, what plan.Verb, reliesOn func(property string) bool) error {
	relied := slices.DeleteFunc(missingProperties(res, s), func(name string) bool { return !reliesOn(name) })
	if len(relied) == 0 {
		return nil
	}
	return fmt.Errorf("the recorded state of this %s has no %s, which its %s relies on; nothing was done. %s", res.Spec.Name, strings.Join(relied, ", no "), what, missingRemedy(res, relied[0]))
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
