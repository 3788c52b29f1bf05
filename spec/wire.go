package spec

import (
	"slices"
	"strings"
	"unicode"
)

// WireRules are the rules by which names on the wire are made of declared names.
var WireRules = []string{"snake_case", "kebab-case", "camelCase", "PascalCase"}

// WireName returns a name on the wire by a rule of WireRules. By any other rule it
// is the declared name.
func WireName(rule, declared string) string {
	switch rule {
	case "snake_case":
		return strings.Join(nameWords(declared), "_")
	case "kebab-case":
		return strings.Join(nameWords(declared), "-")
	case "camelCase":
		return joinCapitalised(nameWords(declared), 1)
	case "PascalCase":
		return joinCapitalised(nameWords(declared), 0)
	default:
		return declared
	}
}

// joinCapitalised joins words, those from an index on with a capital letter.
func joinCapitalised(words []string, from int) string {
	for i := from; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// nameWords splits a name where its case or a sign does, in lower case: petId is
// pet, id; HTTPServer is http, server.
func nameWords(name string) []string {
	var out []string
	runes := []rune(name)
	start := 0
	end := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	for i := 1; i < len(runes); i++ {
		switch {
		case runes[i] == '_' || runes[i] == '-':
			end(i)
			start = i + 1
		case unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]),
			unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			end(i)
		}
	}
	end(len(runes))
	return out
}

// ApplyWireRule gives the properties of a type that have no name on the wire of
// their own the one of a rule: those of structs within it, too, and not those of
// other definitions.
func (t *Type) ApplyWireRule(rule string) {
	if rule == "" || t == nil || t.Ref != "" {
		return
	}
	for _, p := range t.Fields {
		if p.Wire == "" {
			p.Wire = WireName(rule, p.Name)
		}
		p.Type.ApplyWireRule(rule)
	}
	for _, v := range t.Variants {
		v.ApplyWireRule(rule)
	}
	t.Elem.ApplyWireRule(rule)
}

// WirePath is where a property is on the wire, where a rule says what those are called
// that have no name of their own: `@wire(spec.template.image)` is three members deep.
func (p *Property) WirePath(rule string) []string {
	name := p.Wire
	if name == "" {
		name = WireName(rule, p.Name)
	}
	return append(slices.Clone(p.WireParents), name)
}

// AsWritten reports whether the property goes out under the name that it has here, as
// keys do that the author wrote in a value.
func (p *Property) AsWritten() bool { return p.Wire == p.Name && p.WireParents == nil }

// WireConflict returns two properties of a struct of which one is where the other is
// on the wire, or within it; nil where none are.
func (t *Type) WireConflict(rule string) (first, second *Property) {
	for i, p := range t.Fields {
		for _, q := range t.Fields[:i] {
			a, b := q.WirePath(rule), p.WirePath(rule)
			if n := min(len(a), len(b)); slices.Equal(a[:n], b[:n]) {
				return q, p
			}
		}
	}
	return nil, nil
}

// SameSpelling reports whether two names differ at most in case and in the signs
// between their words: petId, pet_id and PET-ID.
func SameSpelling(a, b string) bool { return plainSpelling(a) == plainSpelling(b) }

func plainSpelling(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
