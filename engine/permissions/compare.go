package permissions

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// Beyond returns the grants that go beyond what earlier grants allow: what a new
// version of a spec requests in addition. A grant that cannot be compared with
// certainty is included, so that a person reviews it.
func Beyond(grants, earlier []Grant) []Grant {
	var more []Grant
	for _, g := range grants {
		if !slices.ContainsFunc(earlier, func(e Grant) bool { return e.includes(g) }) {
			more = append(more, g)
		}
	}
	return more
}

// includes reports whether a grant certainly allows everything that another one
// allows.
func (g Grant) includes(other Grant) bool {
	switch {
	case g.Access != other.Access && (g.Access != plan.AccessName(grant.Write) || other.Access != plan.AccessName(grant.Read)):
		return false
	case isLooser(other.Confined, g.Confined):
		return false
	case keepsMore(other.Capabilities, g.Capabilities):
		return false
	case g.Pattern == other.Pattern:
		return slices.EqualFunc(g.Settings, other.Settings, Setting.equal)
	case len(g.Settings)+len(other.Settings) > 0 || g.Chosen || other.Chosen || strings.Contains(g.Pattern+other.Pattern, "${"):
		return false
	}
	switch other.Access {
	case "read", "write":
		return includesPath(g.Pattern, other.Pattern)
	case "hosts":
		return grant.OriginIncludes(g.Pattern, other.Pattern)
	case "env":
		glob, err := grant.ParseGlob(g.Pattern)
		return err == nil && !strings.ContainsAny(other.Pattern, `*?[{\`) && glob.Match(other.Pattern)
	case "packages":
		return grant.PackageIncludes(g.Pattern, other.Pattern)
	}
	return false
}

// includesPath reports whether tree is a pattern of a whole folder that contains
// every match of pattern.
func includesPath(tree, pattern string) bool {
	folder, whole := strings.CutSuffix(tree, "/**")
	if !whole || strings.ContainsAny(folder, `*?[{\`) || slices.Contains(strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' || r == '\\' }), "..") {
		return false
	}
	return pattern == folder || strings.HasPrefix(pattern, folder+"/")
}

// keepsMore reports whether commands run by root keep additional capabilities.
func keepsMore(now, before []string) bool {
	if now == nil {
		now = spec.Capabilities()
	}
	return before != nil && slices.ContainsFunc(now, func(name string) bool { return !slices.Contains(before, name) })
}

// isLooser reports whether programs are less confined than before.
func isLooser(now, before plan.Confinement) bool {
	order := []plan.Confinement{plan.Unconfined, plan.Mixed, plan.Attempted, plan.Enforced}
	return slices.Index(order, now) < slices.Index(order, before)
}
