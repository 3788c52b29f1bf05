package compile

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// locatedBy returns the settings that say where the object of an id is, as dotted paths: those to which read and delete refer where
// they name it or, if a resource has neither, update. Members of the session count in addresses, such as the account of a token. With
// `@replace(false)`, another value of a setting leads to the same objects. Secret settings are credentials, or change with them.
func locatedBy(r *plan.Resource, p *spec.Provider) []string {
	steps := slices.Concat(stepsOf(r.Read), stepsOf(r.Delete))
	if len(steps) == 0 {
		steps = stepsOf(r.Update)
	}
	found := &locating{types: p.Types}
	for _, s := range steps {
		for _, a := range s.Args {
			isAddress := a.Decl.Exposed && !a.Decl.Wire && a.Decl.Mode != actions.Words
			for _, ref := range plan.LocatingRefs(a) {
				switch {
				case ref.Path[0] == "config":
					found.setting(p.Config, nil, ref.Path[1:])
				case ref.Path[0] == "session" && len(ref.Path) > 1 && isAddress:
					found.names = append(found.names, strings.Join(ref.Path, "."))
				}
			}
		}
	}
	slices.Sort(found.names)
	return slices.Compact(found.names)
}

// locating collects settings. Within are the structs that contain the one that is looked at: a type may refer to itself.
type locating struct {
	types  spec.Types
	names  []string
	within []*spec.Type
}

// setting adds what the rest of a path leads to from a type: a setting, or all that are not secret in a struct.
func (l *locating) setting(t *spec.Type, path, rest []string) {
	t = l.types.Resolve(t)
	if t.Kind != spec.Object || slices.Contains(l.within, t) && len(rest) == 0 {
		l.names = append(l.names, strings.Join(path, "."))
		return
	}
	l.within = append(l.within, t)
	defer func() { l.within = l.within[:len(l.within)-1] }()
	for _, m := range t.Fields {
		if (len(rest) == 0 || rest[0] == m.Name) && !m.IsSecret() && !m.Moves {
			l.setting(m.Type, append(path[:len(path):len(path)], m.Name), rest[min(1, len(rest)):])
		}
	}
}

func stepsOf(op *plan.Operation) []*plan.Step {
	if op == nil {
		return nil
	}
	return op.Steps
}
