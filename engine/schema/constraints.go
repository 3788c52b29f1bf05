package schema

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

// documented returns the documentation of a property, followed by the constraints of
// its type. Pulumi's schemas have no bounds or patterns, but Check enforces them.
func (g *typeGenerator) documented(f *spec.Property) string {
	rules := constraints(g.named.Resolve(f.Type))
	if len(rules) == 0 {
		return f.Doc
	}
	text := "Must be " + strings.Join(rules, ", and ") + "."
	if f.Doc == "" {
		return text
	}
	return strings.TrimRight(f.Doc, "\n") + "\n\n" + text
}

// constraints returns the constraints of a type as texts that follow "must be".
func constraints(t *spec.Type) []string {
	var rules []string
	add := func(format string, args ...any) { rules = append(rules, fmt.Sprintf(format, args...)) }
	for _, b := range []struct {
		bound                *spec.Bound
		inclusive, exclusive string
	}{{t.Min, "at least", "greater than"}, {t.Max, "at most", "less than"}} {
		switch {
		case b.bound == nil:
		case b.bound.Exclusive:
			add("%s %s", b.exclusive, literalText(b.bound.Value))
		default:
			add("%s %s", b.inclusive, literalText(b.bound.Value))
		}
	}
	if t.MultipleOf != "" {
		add("a multiple of %s", t.MultipleOf)
	}
	if unit := map[spec.Kind]string{spec.String: "characters", spec.List: "items", spec.Map: "entries", spec.Object: "entries"}[t.Kind]; unit != "" {
		switch {
		case t.MinLen > 0 && t.MaxLen != nil && *t.MaxLen == t.MinLen:
			add("of exactly %d %s", t.MinLen, unit)
		case t.MinLen > 0 && t.MaxLen != nil:
			add("of %d to %d %s", t.MinLen, *t.MaxLen, unit)
		case t.MinLen > 0:
			add("of at least %d %s", t.MinLen, unit)
		case t.MaxLen != nil:
			add("of at most %d %s", *t.MaxLen, unit)
		}
	}
	if t.Unique {
		add("without duplicate items")
	}
	for _, p := range t.Patterns {
		switch {
		case p.Means != "":
			add("%s", p.Means)
		case p.Negated:
			add("no match of `%s`", p.Regexp)
		default:
			add("a match of `%s`", p.Regexp)
		}
	}
	if t.Kind == spec.Int && len(t.Enum) == 1 { // no constant in the schema
		add("%s", literalText(t.Enum[0]))
	}
	for _, v := range t.Not {
		add("other than %s", literalText(v))
	}
	return rules
}

// literalText returns a literal for documentation.
func literalText(v any) string {
	if text, ok := v.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(v)
}
