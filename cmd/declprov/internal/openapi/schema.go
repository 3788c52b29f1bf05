package openapi

import "slices"

// schema is what a schema says, without its parts (`allOf`).
type schema struct {
	types                         []string
	format, description, pattern  string
	enum                          []any
	fixed, def                    any
	nullable, readOnly, writeOnly bool
	unique, deprecated            bool
	min, max                      *float64
	above, below                  bool // min and max are excluded
	items, entries                part
}

// schemaOf reads a schema.
func schemaOf(p part) schema {
	s := schema{
		types: p.get("type").texts(), format: p.get("format").text(), description: p.get("description").text(), pattern: p.get("pattern").text(),
		fixed: p.get("const").value(), def: p.get("default").value(),
		nullable: p.get("nullable").isTrue() || p.get("x-nullable").isTrue(), readOnly: p.get("readOnly").isTrue(), writeOnly: p.get("writeOnly").isTrue(),
		unique: p.get("uniqueItems").isTrue(), min: p.get("minimum").number(), max: p.get("maximum").number(),
		items: p.get("items"), deprecated: p.get("deprecated").isTrue() || p.get("x-deprecated").isTrue(),
	}
	for _, e := range p.get("enum").list() {
		s.enum = append(s.enum, e.value())
	}
	if entries := p.get("additionalProperties"); entries.resolved().node != nil && entries.value() != true && entries.value() != false {
		s.entries = entries
	}
	// In version 3.0 these are booleans, in 3.1 numbers.
	s.above, s.below = p.get("exclusiveMinimum").isTrue(), p.get("exclusiveMaximum").isTrue()
	if n := p.get("exclusiveMinimum").number(); n != nil {
		s.min, s.above = n, true
	}
	if n := p.get("exclusiveMaximum").number(); n != nil {
		s.max, s.below = n, true
	}
	if slices.Contains(s.types, "null") {
		s.nullable = true
		s.types = slices.DeleteFunc(s.types, func(t string) bool { return t == "null" })
	}
	return s
}

// listsValues reports whether a schema lists its values.
func (s schema) listsValues() bool { return s.fixed != nil || len(s.enum) > 0 }
