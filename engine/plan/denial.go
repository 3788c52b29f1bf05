package plan

import (
	"maps"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/expr"
)

// DenialsTakenForGone returns the denials for which `gone` of the step is true, whatever else the response
// says. Then an object that exists may seem to be gone.
func (s *Step) DenialsTakenForGone() []actions.Denial {
	if s.Gone == nil {
		return nil
	}
	var out []actions.Denial
	for _, d := range s.Denials {
		if holds(s.Gone, d.Response) {
			out = append(out, d)
		}
	}
	return out
}

// holds reports whether a condition is true for some values, whatever the others are.
func holds(condition *expr.Value, known map[string]any) bool {
	if _, constant := condition.Const(); constant {
		return false
	}
	values := maps.Clone(known)
	for _, ref := range condition.Refs() {
		if _, there := values[ref.Path[0]]; !there {
			values[ref.Path[0]] = expr.Unknown{}
		}
	}
	result, err := condition.Eval(&expr.Vars{Values: values})
	return err == nil && result == true
}
