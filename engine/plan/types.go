package plan

import (
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// OrNull is the type, and null.
func OrNull(t *spec.Type) *spec.Type {
	if t.Nullable || t.Kind == spec.Any && t.Ref == "" {
		return t
	}
	nullable := *t
	nullable.Nullable = true
	return &nullable
}

// PerElement is the type of results of a type, one for each element.
func PerElement(kind spec.Kind, t *spec.Type) *spec.Type {
	if kind == spec.Any {
		return &spec.Type{}
	}
	return &spec.Type{Kind: kind, Elem: t}
}

// Shorthands are `body`, `status` and `headers`: members of a result that
// may be written without `result.`.
func Shorthands(s *Step) []expr.Name {
	if !s.HasShorthands() {
		return nil
	}
	var names []expr.Name
	for _, member := range ShorthandNames {
		if p := s.Result.Field(member); p != nil {
			names = append(names, expr.Name{Name: member, Type: p.Type})
		}
	}
	return names
}

// StepType is the type of what a step yields: null where its `if` was false, a
// list or map where it ran for each.
func StepType(s *Step) *spec.Type {
	t := s.Result
	if t == nil {
		t = &spec.Type{}
	}
	if s.Model.If != nil {
		t = OrNull(t)
	}
	if s.ForEach == nil {
		return t
	}
	return PerElement(s.Over, t)
}

// LocalType is the name of a resource or component of the spec that a child's
// type speaks of, or "": `File`, and its token `files:index:File`.
func LocalType(own string, n *spec.Node) string {
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

// ProviderType is how the types of provider resources begin in Pulumi.
const ProviderType = "pulumi:providers:"

// CheckedRequired reports whether a property is always there after Check.
func CheckedRequired(p *spec.Property) bool {
	return p.Required || p.Default != nil || p.Autoname != nil || p.DefaultExpr != nil
}
