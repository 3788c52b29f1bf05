package plan

import (
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// OrNull returns the type that also allows null.
func OrNull(t *spec.Type) *spec.Type {
	if t.Nullable || t.Kind == spec.Any && t.Ref == "" {
		return t
	}
	nullable := *t
	nullable.Nullable = true
	return &nullable
}

// PerElement returns the type of a list or map whose elements have type t.
func PerElement(kind spec.Kind, t *spec.Type) *spec.Type {
	if kind == spec.Any {
		return &spec.Type{}
	}
	return &spec.Type{Kind: kind, Elem: t}
}

// Shorthands returns the members of a step's result that may be written without
// `result.`: `body`, `status`, `headers` and `errors`.
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

// StepType returns the type of a step's result. It allows null if the step has an
// `if`, and is a list or map if the step has a `forEach`.
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
	return PerElement(s.ForEachKind, t)
}

// LocalType returns the name of the resource or component of this spec that a child's
// type refers to, or "". A type is either a name (`File`) or a token
// (`files:index:File`).
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

// ProviderType is the prefix of the types of provider resources in Pulumi.
const ProviderType = "pulumi:providers:"
