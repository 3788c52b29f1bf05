package engine

import (
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// orNull is the type, and null.
func orNull(t *spec.Type) *spec.Type {
	if t.Nullable || t.Kind == spec.Any && t.Ref == "" {
		return t
	}
	nullable := *t
	nullable.Nullable = true
	return &nullable
}

// perElement is the type of results of a type, one for each element.
func perElement(kind spec.Kind, t *spec.Type) *spec.Type {
	if kind == spec.Any {
		return &spec.Type{}
	}
	return &spec.Type{Kind: kind, Elem: t}
}

// shorthands are `body`, `status` and `headers`: members of an http result that
// may be written without `result.`.
func shorthands(s *step) []expr.Name {
	if !s.hasShorthands() {
		return nil
	}
	var names []expr.Name
	for _, member := range shorthandNames {
		if p := s.result.Field(member); p != nil {
			names = append(names, expr.Name{Name: member, Type: p.Type})
		}
	}
	return names
}

// stepType is the type of what a step yields: null where its `if` was false, a
// list or map where it ran for each.
func stepType(s *step) *spec.Type {
	t := s.result
	if t == nil {
		t = &spec.Type{}
	}
	if s.model.If != nil {
		t = orNull(t)
	}
	if s.forEach == nil {
		return t
	}
	return perElement(s.over, t)
}

// localType is the name of a resource or component of the spec that a child's
// type speaks of, or "": `File`, and its token `files:index:File`.
func localType(own string, n *spec.Node) string {
	if n == nil || n.Kind != spec.StringNode {
		return ""
	}
	if name, ok := strings.CutPrefix(n.Text, own+":index:"); ok {
		return name
	}
	if name, ok := strings.CutPrefix(n.Text, own+":"); ok && !strings.Contains(name, ":") {
		return name
	}
	if strings.Contains(n.Text, ":") {
		return ""
	}
	return n.Text
}

// providerType is how the types of provider resources begin in Pulumi.
const providerType = "pulumi:providers:"

// checkedRequired reports whether a property is always there after Check.
func checkedRequired(p *spec.Property) bool {
	return p.Required || p.Default != nil || p.Autoname != nil || p.DefaultExpr != nil
}
