package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
	"github.com/declprov/declprov/spec/types"
)

// isEnum reports whether SDKs have an enumeration for the type: for several strings
// or numbers that a schema can represent. A single literal becomes a constant or a
// plain type, and two booleans become a boolean.
func (g *typeGenerator) isEnum(t *spec.Type) bool {
	if len(t.Enum) < 2 || t.Kind == spec.Bool {
		return false
	}
	switch t.Kind {
	case spec.Int, spec.Number, spec.String:
		return !slices.ContainsFunc(t.Enum, func(v any) bool {
			return v != nil && scalar(v, primitive(t.Kind)) == nil
		})
	default:
		return false
	}
}

func (g *typeGenerator) enum(t *spec.Type, at place) complexType {
	def := complexType{objectType: objectType{Description: at.doc, Type: primitive(t.Kind)}}
	named := enumNames(t.Enum)
	for _, v := range t.Enum {
		if v != nil {
			def.Enum = append(def.Enum, enumValue{Name: named[fmt.Sprint(v)], Value: v})
		}
	}
	return def
}

// enumNames returns names for the values that generators would give equal names, or
// no name: "a-b" and "a_b", "", "+", 1.5. Other values are their own names. The names
// do not depend on the order of the values.
func enumNames(values []any) map[string]string {
	texts := types.Texts(values)
	slices.Sort(texts)
	count := map[string]int{}
	for _, t := range texts {
		count[folded(t)]++
	}
	taken, out := map[string]bool{}, map[string]string{}
	for _, t := range texts {
		if names.IsIdentifier(t) && count[folded(t)] == 1 && !isSuffix(t) {
			taken[folded(t)] = true
		}
	}
	for _, t := range texts {
		if names.IsIdentifier(t) && count[folded(t)] == 1 && !isSuffix(t) {
			continue
		}
		base := spelled(t)
		name := base
		for n := 2; taken[folded(name)]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		taken[folded(name)] = true
		out[t] = name
	}
	return out
}

// folded returns a name in the form in which generators may consider two names equal.
func folded(s string) string { return strings.ToLower(strings.ReplaceAll(names.Pascal(s), "_", "")) }

// isSuffix reports whether a value, appended to the name of its type, would be the
// name of another generated Go type, such as the value Array of a Kind.
func isSuffix(s string) bool {
	return slices.ContainsFunc(derived, func(d string) bool { return d != "" && strings.EqualFold(d, s) })
}

// spelled returns an identifier for any text, with names for signs.
func spelled(s string) string {
	signs := map[rune]string{
		'+': "Plus", '-': "Minus", '*': "Star", '/': "Slash", '.': "Dot", '=': "Equals", '<': "Less", '>': "Greater",
		'!': "Not", '%': "Percent", '&': "And", '|': "Or", '@': "At", '#': "Hash", '$': "Dollar", '~': "Tilde", '?': "Query",
		'^': "Caret", ':': "Colon", ',': "Comma", ';': "Semicolon", '\\': "Backslash",
	}
	if words := names.Pascal(s); names.IsIdentifier(words) && names.IsIdentifier(s[:1]) && !isSuffix(words) {
		return words
	}
	var b strings.Builder
	b.WriteString("Value")
	for i, r := range s {
		switch name, ok := signs[r]; {
		case ok:
			b.WriteString(name)
		case names.IsWord(r):
			b.WriteRune(r)
		case r == ' ' && i > 0:
			b.WriteByte('_')
		default:
			fmt.Fprintf(&b, "U%X", r)
		}
	}
	if s == "" {
		b.WriteString("Empty")
	}
	return b.String()
}
