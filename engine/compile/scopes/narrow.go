package scopes

import (
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Extend returns the scope with more names, or with other types of names that it has.
func Extend(s *expr.Scope, names ...expr.Name) *expr.Scope {
	out := &expr.Scope{Types: s.Types, NullHelp: s.NullHelp, Resources: s.Resources, Sought: s.Sought}
	replaced := map[string]bool{}
	for _, n := range names {
		replaced[n.Name] = true
	}
	for _, path := range s.Present {
		if !slices.ContainsFunc(expr.RootsOf(path), func(name string) bool { return replaced[name] }) {
			out.Present = append(out.Present, path)
		}
	}
	for _, n := range s.Names {
		if !replaced[n.Name] {
			out.Names = append(out.Names, n)
		}
	}
	out.Names = append(out.Names, names...)
	return out
}

// Deciding returns the scope of a template that may say whether something exists. In it, the responses of steps must have
// bodies where a template reads a member of them: that there is no such member may say that something does not exist, and
// that there is no body does not. latest is false if there may be no latest response. absence is what the template says.
func Deciding(s *expr.Scope, steps []*plan.Step, latest bool, absence expr.Absence) *expr.Scope {
	out := *s
	out.Bodies, out.Absence = nil, absence
	if latest {
		out.Bodies = [][]string{{"body"}, {"result", "body"}}
	}
	for _, step := range steps {
		if step.Model.As != "" && step.When == nil && step.ForEach == nil {
			out.Bodies = append(out.Bodies, []string{"steps", step.Model.As, "body"})
		}
	}
	return &out
}

// AssumeTrue returns the scope of what runs only if a condition is true. A condition that does not
// compile may have excluded any null: then no member of the scope's names counts as null.
func AssumeTrue(s *expr.Scope, written *spec.Node, condition *expr.Value) *expr.Scope {
	switch {
	case condition != nil:
		return assumePresent(s, condition.Present())
	case written != nil:
		var members [][]string
		for _, n := range s.Names {
			for _, p := range s.Types.Resolve(n.Type).Fields {
				members = append(members, []string{n.Name, p.Name})
			}
		}
		return assumePresent(s, members)
	default:
		return s
	}
}

// AssumePassed returns the scope after a condition was false, or a string was null.
func AssumePassed(s *expr.Scope, v *expr.Value) *expr.Scope {
	if v == nil {
		return s
	}
	return assumePresent(s, v.Passed())
}

// assumePresent returns the scope in which these paths are known not to be null.
func assumePresent(s *expr.Scope, paths [][]string) *expr.Scope {
	if len(paths) == 0 {
		return s
	}
	out := *s
	out.Present = slices.Concat(s.Present, paths)
	return &out
}
