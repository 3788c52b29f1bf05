package spec

import (
	"slices"
	"strings"
	"unicode"
)

// WireRules are the naming rules that convert declared names to names on the wire.
var WireRules = []string{"snake_case", "kebab-case", "camelCase", "PascalCase"}

// WireName returns the name on the wire for a declared name by one of WireRules. For
// any other rule it returns the declared name.
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

// joinCapitalised joins words and capitalises those from index from on.
func joinCapitalised(words []string, from int) string {
	for i := from; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// nameWords splits a name into lower-case words at changes of case and at _ and -:
// petId becomes pet, id; HTTPServer becomes http, server; and petIDs, a plural, pet, ids.
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
			unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !isPluralAt(runes, i):
			end(i)
		}
	}
	end(len(runes))
	return out
}

// isPluralAt reports whether the s after a capital is that of a plural such as IDs, and not the beginning of a word.
func isPluralAt(name []rune, capital int) bool {
	after := capital + 2
	return unicode.IsUpper(name[capital-1]) && name[capital+1] == 's' && (after == len(name) || !unicode.IsLower(name[after]))
}

// ApplyWireRule sets the name on the wire of each property that has none, by a rule.
// It includes the properties of nested structs, but not those of other definitions.
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

// WirePath returns the path of a property on the wire. rule names properties without
// their own wire name. `@wire(spec.template.image)` is a path of three members.
func (p *Property) WirePath(rule string) []string {
	name := p.Wire
	if name == "" {
		name = WireName(rule, p.Name)
	}
	return append(slices.Clone(p.WireParents), name)
}

// AsWritten reports whether the property has the same name on the wire as in the
// spec. This is the case for keys that the author wrote in a value.
func (p *Property) AsWritten() bool {
	return p.Wire == p.Name && p.WireParents == nil && p.WireItem == nil
}

// WireConflict returns two properties of a struct whose paths on the wire are equal,
// or one of which contains the other; nil if there are none.
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

// SameSpelling reports whether two names differ at most in case and in the separators
// of their words: petId, pet_id and PET-ID.
func SameSpelling(a, b string) bool { return plainSpelling(a) == plainSpelling(b) }

func plainSpelling(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
