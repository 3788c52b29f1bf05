package printer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// typeBlock returns the properties of an object type as a block, or nil if there are
// none.
func (d *document) typeBlock(t *spec.Type) block {
	if t == nil {
		return nil
	}
	var b block
	for _, p := range t.Fields {
		b = append(b, member{key: p.Name + mark(p), doc: p.Doc, value: expression(d.property(p))})
	}
	return b
}

// mark returns the mark of an optional property.
func mark(p *spec.Property) string {
	if p.Optional() {
		return "?"
	}
	return ""
}

// property returns the type of a property with its default and its attributes.
func (d *document) property(p *spec.Property) string {
	return strings.Join(append([]string{d.typeWith(p.Type, p.Default)}, attributes(p)...), " ")
}

// typeWith returns a type with a default.
func (d *document) typeWith(t *spec.Type, def any) string {
	if def == nil {
		return d.typeText(t)
	}
	if i := slices.IndexFunc(t.Enum, func(v any) bool { return types.SameLiteral(v, def) }); t.Ref == "" && i >= 0 && !t.Nullable && len(t.Not)+len(t.Patterns) == 0 {
		return d.enum(t.Enum, i)
	}
	return "*" + literal(def) + " | " + d.typeText(t)
}

// enum returns a disjunction of literals, whose item i is the default.
func (d *document) enum(values []any, i int) string {
	texts := make([]string, len(values))
	for j, v := range values {
		texts[j] = literal(v)
		if i == j {
			texts[j] = "*" + texts[j]
		}
	}
	return strings.Join(texts, " | ")
}

// typeText returns a type as an expression.
func (d *document) typeText(t *spec.Type) string {
	if t == nil {
		return "_"
	}
	text := d.bareType(t)
	if t.Nullable && text != "null" {
		return "null | " + text
	}
	return text
}

// bareType returns a type without `null |`.
func (d *document) bareType(t *spec.Type) string {
	switch {
	case t.Ref != "":
		return "#" + t.Ref
	case len(t.Enum) == 1 && t.Enum[0] == nil:
		return "null"
	case t.Kind == spec.Union:
		variants := lists.Map(t.Variants, d.typeText)
		return strings.Join(variants, " | ")
	case t.Kind == spec.Asset:
		return d.asset("#Asset")
	case t.Kind == spec.Archive:
		return d.asset("#Archive")
	}
	parts := d.constraints(t)
	if base := d.base(t); base != "" && (len(parts) == 0 || t.Kind != spec.String && t.Kind != spec.Number && t.Kind != spec.Any) {
		parts = append([]string{base}, parts...)
	}
	return strings.Join(parts, " & ")
}

// base returns a type without its constraints.
func (d *document) base(t *spec.Type) string {
	if len(t.Enum) > 0 {
		return ""
	}
	switch t.Kind {
	case spec.List:
		elem := d.typeText(t.Elem)
		if t.MinLen == 1 {
			return "[" + elem + ", ..." + elem + "]"
		}
		return "[..." + elem + "]"
	case spec.Map:
		if t.Elem == nil {
			return "{...}"
		}
		return "{" + d.pattern(t) + "}"
	case spec.Object:
		return d.object(t)
	case spec.Any:
		return "_"
	default:
		return t.Kind.String()
	}
}

// pattern returns the values of a map, or of the undeclared members of a struct.
func (d *document) pattern(t *spec.Type) string {
	key := "string"
	if len(t.Keys) > 0 {
		key = "=~" + quote(t.Keys[0])
	}
	return "[" + key + "]: " + d.typeText(t.Elem)
}

// object returns a struct. It has several lines if it has comments, more than four fields, or is
// open; in YAML it always has one line.
func (d *document) object(t *spec.Type) string {
	var members []string
	w := cueWriter{packages: d.packages}
	long := len(t.Fields) > 4 || t.Open
	for _, p := range t.Fields {
		text := w.label(p.Name+mark(p)) + ": " + d.property(p)
		switch {
		case p.Doc != "" && d.oneLine:
			text += " @doc(" + quote(p.Doc) + ")"
		case p.Doc != "":
			text, long = comment(p.Doc, "// ")+text, true
		}
		members = append(members, text)
	}
	switch {
	case t.Open && t.Elem != nil:
		members = append(members, d.pattern(t))
	case t.Open:
		members = append(members, "...")
	}
	if long && !d.oneLine {
		return "{\n" + strings.Join(members, "\n") + "\n}"
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// constraints returns the constraints of a type.
func (d *document) constraints(t *spec.Type) []string {
	var parts []string
	if len(t.Enum) > 0 {
		enum := d.enum(t.Enum, -1)
		if len(t.Enum) > 1 && len(t.Not)+len(t.Patterns) > 0 {
			enum = "(" + enum + ")"
		}
		parts = append(parts, enum)
	}
	bound := func(b *spec.Bound, sign string) {
		if b == nil {
			return
		}
		if !b.Exclusive {
			sign += "="
		}
		parts = append(parts, sign+literal(b.Value))
	}
	bound(t.Min, ">")
	bound(t.Max, "<")
	for _, v := range t.Not {
		parts = append(parts, "!="+literal(v))
	}
	for _, p := range t.Patterns {
		switch {
		case p.Means != "": // an attribute says it
		case p.Negated:
			parts = append(parts, "!~"+quote(p.Regexp))
		default:
			parts = append(parts, "=~"+quote(p.Regexp))
		}
	}
	if t.MultipleOf != "" {
		for divisor := range strings.FieldsSeq(t.MultipleOf) {
			parts = append(parts, d.call("math", "MultipleOf", divisor))
		}
	}
	return append(parts, d.lengths(t)...)
}

// lengths returns the constraints on the length of a value.
func (d *document) lengths(t *spec.Type) (parts []string) {
	pkg, noun := "struct", "Fields"
	switch t.Kind {
	case spec.String:
		pkg, noun = "strings", "Runes"
	case spec.List:
		pkg, noun = "list", "Items"
	}
	if t.MinLen > 0 && !(t.Kind == spec.List && t.MinLen == 1) { // which base says
		parts = append(parts, d.call(pkg, "Min"+noun, t.MinLen))
	}
	if t.MaxLen != nil {
		parts = append(parts, d.call(pkg, "Max"+noun, *t.MaxLen))
	}
	if t.Unique {
		parts = append(parts, d.call("list", "UniqueItems", ""))
	}
	return parts
}

// call returns a call of CUE's library, and imports the package.
func (d *document) call(pkg, function string, argument any) string {
	d.packages[pkg] = pkg
	return fmt.Sprintf("%s.%s(%v)", pkg, function, argument)
}

// asset returns the type of a file or a folder of the user's.
func (d *document) asset(name string) string {
	if d.oneLine {
		return name
	}
	d.packages["spec"] = "declprov.dev/spec"
	return "spec." + name
}
