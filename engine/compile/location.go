package compile

import (
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// locatedBy returns the settings that say where the object of an id is: those to which read and delete refer where they name
// it or, if a resource has neither, update. With `@replace(false)`, another value of a setting leads to the same objects. Secret
// settings are credentials, or change with them.
func locatedBy(r *plan.Resource, config *spec.Type) (names []string) {
	steps := slices.Concat(stepsOf(r.Read), stepsOf(r.Delete))
	if len(steps) == 0 {
		steps = stepsOf(r.Update)
	}
	for _, s := range steps {
		for _, ref := range plan.LocatingRefs(s) {
			if ref.Path[0] != "config" {
				continue
			}
			for _, m := range config.Fields {
				if (len(ref.Path) == 1 || ref.Path[1] == m.Name) && !m.IsSecret() && !m.Moves {
					names = append(names, m.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func stepsOf(op *plan.Operation) []*plan.Step {
	if op == nil {
		return nil
	}
	return op.Steps
}
