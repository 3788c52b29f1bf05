package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// isEnum reports whether SDKs should have an enumeration for the type: several
// strings or numbers, all of which a schema can hold. A single literal is a
// constant or a plain type, and two booleans are a boolean.
func (g *generator) isEnum(t *spec.Type) bool {
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

func (g *generator) enum(t *spec.Type, at place) complexType {
	def := complexType{objectType: objectType{Description: at.doc, Type: primitive(t.Kind)}}
	named := enumNames(t.Enum)
	for _, v := range t.Enum {
		if v != nil {
			def.Enum = append(def.Enum, enumValue{Name: named[fmt.Sprint(v)], Value: v})
		}
	}
	return def
}

// enumNames gives names to the values that generators would name alike, or could
// not name: "a-b" and "a_b", "", "+", 1.5. The others name themselves. Names go
// by value, not by order.
func enumNames(values []any) map[string]string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, fmt.Sprint(v))
	}
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

// folded returns a name as the coarsest of the generators sees it.
func folded(s string) string { return strings.ToLower(strings.ReplaceAll(names.Pascal(s), "_", "")) }

// isSuffix reports whether a value would, after its type's name, be the name of
// another generated Go type: a Kind with the value Array.
func isSuffix(s string) bool {
	return slices.ContainsFunc(derived, func(d string) bool { return d != "" && strings.EqualFold(d, s) })
}

// spelled makes an identifier of any text, signs by their names.
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
