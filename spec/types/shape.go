package types

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// ShapeOf returns the Shape of a plain value. name returns the name of a property in
// the value, such as its name on the wire; nil means the declared name.
func ShapeOf(v any, name func(*spec.Property) string) Shape { return plainShape{v, name} }

type plainShape struct {
	value any
	name  func(*spec.Property) string
}

// reveal returns the value without its secret mark.
func (s plainShape) reveal() any {
	if secret, ok := s.value.(Secret); ok {
		return secret.Value
	}
	return s.value
}

func (s plainShape) Kind() spec.Kind {
	switch v := s.reveal().(type) {
	case Unknown:
		return spec.Any
	case bool:
		return spec.Bool
	case string:
		return spec.String
	case []any:
		return spec.List
	case map[string]any:
		return spec.Object
	case *spec.File:
		if v.Archive {
			return spec.Archive
		}
		return spec.Asset
	default:
		if !IsNumber(v) {
			return spec.Union
		}
		if r := Exact(v); r != nil && r.IsInt() {
			return spec.Int
		}
		return spec.Number
	}
}

func (s plainShape) Is(literal any) bool { return SameLiteral(s.reveal(), literal) }

func (s plainShape) Member(p *spec.Property) Shape {
	if v, _ := s.member(p); v != nil {
		return plainShape{v, s.name}
	}
	return nil
}

func (s plainShape) IsNull(p *spec.Property) bool {
	v, given := s.member(p)
	return given && v == nil
}

// member returns the value of a property, and whether the struct has it.
func (s plainShape) member(p *spec.Property) (v any, given bool) {
	name := p.Name
	if s.name != nil {
		name = s.name(p)
	}
	at := s
	if s.name != nil {
		for _, parent := range p.WireParents {
			members, _ := at.reveal().(map[string]any)
			at.value = members[parent]
		}
	}
	members, _ := at.reveal().(map[string]any)
	v, given = members[name]
	if s.name != nil {
		v = FromWire(AtItems(v, p.WireItem), p.Type)
	}
	return v, given
}

// AtItems returns a list with the values at a path of members in its items. An item without such a
// value remains, and so does a value other than a list; with a nil path, every value. A value within a
// secret is secret.
func AtItems(v any, path []string) any {
	if path == nil {
		return v
	}
	switch v := v.(type) {
	case Secret:
		return Secret{Value: AtItems(v.Value, path)}
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = item
			if inner, ok := memberAt(item, path); ok {
				list[i] = inner
			}
		}
		return list
	default:
		return v
	}
}

// memberAt returns the value at a path of members.
func memberAt(v any, path []string) (any, bool) {
	if secret, ok := v.(Secret); ok {
		inner, found := memberAt(secret.Value, path)
		return Secret{Value: inner}, found
	}
	if len(path) == 0 {
		return v, true
	}
	members, _ := v.(map[string]any)
	inner, found := members[path[0]]
	if !found {
		return nil, false
	}
	return memberAt(inner, path[1:])
}

func (s plainShape) Len() int {
	switch v := s.reveal().(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	default:
		return 0
	}
}

func (s plainShape) Each(visit func(Shape)) {
	switch v := s.reveal().(type) {
	case map[string]any:
		for _, item := range v {
			if item != nil {
				visit(plainShape{item, s.name})
			}
		}
	case []any:
		for _, item := range v {
			if item != nil {
				visit(plainShape{item, s.name})
			}
		}
	}
}

type nodeShape struct{ node *spec.Node }

// ShapeOfNode returns the Shape of a value of a document. A string with a template is
// a value that is not known yet.
func ShapeOfNode(n *spec.Node) Shape { return nodeShape{n} }

func (s nodeShape) Kind() spec.Kind {
	switch s.node.Kind {
	case spec.BoolNode:
		return spec.Bool
	case spec.NumberNode:
		return ShapeOf(s.node.Plain(), nil).Kind()
	case spec.StringNode:
		if template.IsTemplate(s.node.Text) {
			return spec.Any
		}
		return spec.String
	case spec.ListNode:
		return spec.List
	case spec.MapNode:
		return spec.Object
	default:
		return spec.Union
	}
}

func (s nodeShape) Is(literal any) bool { return SameLiteral(s.node.Plain(), literal) }

func (s nodeShape) Member(p *spec.Property) Shape {
	if n := s.node.Get(p.Name); n != nil && n.Kind != spec.NullNode {
		return nodeShape{n}
	}
	return nil
}

func (s nodeShape) IsNull(p *spec.Property) bool {
	n := s.node.Get(p.Name)
	return n != nil && n.Kind == spec.NullNode
}

func (s nodeShape) Len() int { return len(s.node.Fields) + len(s.node.Items) }

func (s nodeShape) Each(visit func(Shape)) {
	for _, n := range s.node.Items {
		visit(nodeShape{n})
	}
	for _, f := range s.node.Fields {
		visit(nodeShape{f.Value})
	}
}
