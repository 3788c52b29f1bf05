package value

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/types"
)

// XML only has text and elements. The declared type determines whether an element is a
// value or a list of one, whether "7" is a number, and which namespace is meant.

// xsiNil is the attribute that means null in XML.
const xsiNil = "@{http://www.w3.org/2001/XMLSchema-instance}nil"

// fromXML returns a value in the form that JSON would have for its type. It does not
// convert the members or items of the value.
func fromXML(v any, t *spec.Type) any {
	if m, ok := v.(map[string]any); ok && (m[xsiNil] == "true" || m[xsiNil] == "1") {
		return nil
	}
	switch t.Kind {
	case spec.Any:
		return decode.Unqualify(v)
	case spec.Union:
		return v
	case spec.List:
		if _, ok := v.([]any); !ok && v != nil {
			return []any{v}
		}
		return v
	case spec.Object, spec.Map:
		return asElement(v, t)
	case spec.String:
		return textOf(v)
	}
	text, ok := textOf(v).(string)
	if !ok {
		return v
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil // an empty element has no value
	case t.Kind != spec.Bool:
		if number, err := decode.JSON([]byte(strings.TrimPrefix(text, "+")), decode.NewBudget(1)); err == nil && receivedKind(number) == "a number" {
			return number
		}
	case text == "true" || text == "1":
		return true
	case text == "false" || text == "0":
		return false
	}
	return text
}

// asElement returns an element that should be an object. An element without members
// is text in XML.
func asElement(v any, t *spec.Type) any {
	text, ok := v.(string)
	switch {
	case !ok:
		return v
	case slices.ContainsFunc(t.Fields, func(p *spec.Property) bool { return p.Wire == "#text" }):
		return map[string]any{"#text": text}
	case strings.TrimSpace(text) == "":
		return map[string]any{}
	default:
		return v
	}
}

// allowsBlank reports whether an empty string is a value of a type.
func (r *reception) allowsBlank(t *spec.Type) bool {
	t = r.types.Resolve(t)
	return t.Kind == spec.String && (len(t.Enum) == 0 || slices.Contains(t.Enum, any("")))
}

// textOf returns the text of an element that may have attributes.
func textOf(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name := range m {
		if name != "#text" && !strings.HasPrefix(name, "@") {
			return v
		}
	}
	text, _ := m["#text"].(string)
	return text
}

// renameElements returns the members of an element under the wire names of a type,
// including members below the parents of properties.
func (r *reception) renameElements(v map[string]any, t *spec.Type, within []string) map[string]any {
	var asked, parents []string
	for _, p := range t.Fields {
		path := append(slices.Clone(r.parents(p)), r.wire(p))
		if len(path) <= len(within) || !slices.Equal(path[:len(within)], within) {
			continue
		}
		asked = append(asked, path[len(within)])
		if len(path) > len(within)+1 {
			parents = append(parents, path[len(within)])
		}
	}
	out := decode.LocalNames(v, asked)
	for _, name := range parents {
		if inner, ok := asElement(out[name], &spec.Type{}).(map[string]any); ok {
			out[name] = r.renameElements(inner, t, append(slices.Clone(within), name))
		}
	}
	return out
}

// ambiguous records a mismatch if elements of several namespaces have the name of a
// property, and reports whether it did.
func (r *reception) ambiguous(v map[string]any, p *spec.Property, wire string) bool {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if name != wire && decode.LocalName(name) == wire {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return false
	}
	r.misfit(Describe(p.Type), "elements of several namespaces", fmt.Sprintf("choose one: write @wire(%s)", WireArgument(names[0])))
	return true
}

// xmlShape is the form of an XML value for resolving unions. of is its type, or nil
// if it is not known.
type xmlShape struct {
	r     *reception
	value any
	of    *spec.Type
}

func (s xmlShape) plain() types.Shape {
	if s.of != nil {
		return types.ShapeOf(fromXML(s.value, s.of), nil)
	}
	return types.ShapeOf(s.value, nil)
}

func (s xmlShape) Kind() spec.Kind     { return s.plain().Kind() }
func (s xmlShape) Is(literal any) bool { return s.plain().Is(literal) }
func (s xmlShape) Len() int            { return s.plain().Len() }

// IsNull is false: an element that is there has a value.
func (s xmlShape) IsNull(*spec.Property) bool { return false }

func (s xmlShape) Member(p *spec.Property) types.Shape {
	m, _ := s.value.(map[string]any)
	m = s.r.renameElements(m, &spec.Type{Fields: []*spec.Property{p}}, nil)
	holder, ok := m, true
	for _, parent := range s.r.parents(p) {
		if holder, ok = holder[parent].(map[string]any); !ok {
			return nil
		}
	}
	v := types.AtItems(holder[s.r.wire(p)], p.WireItem)
	if v == nil {
		return nil
	}
	of := s.r.types.Resolve(p.Type)
	if of.Kind == spec.Union {
		of = nil
	}
	return xmlShape{s.r, v, of}
}

func (s xmlShape) Each(visit func(types.Shape)) {
	var elem *spec.Type
	if s.of != nil && s.of.Elem != nil {
		elem = s.r.types.Resolve(s.of.Elem)
	}
	switch v := s.value.(type) {
	case []any:
		for _, item := range v {
			visit(xmlShape{s.r, item, elem})
		}
	case map[string]any:
		for _, item := range v {
			visit(xmlShape{s.r, item, elem})
		}
	default:
		if elem != nil && s.of.Kind == spec.List {
			visit(xmlShape{s.r, v, elem})
		}
	}
}
