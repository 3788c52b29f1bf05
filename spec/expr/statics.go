package expr

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// The static types that the checker works with are spec.Type, with three
// additions that no document can write: null alone is a nullable union of
// nothing, never (the item of an empty list) is a union of nothing, and times
// and durations are references that resolve to nothing.
const (
	timeRef     = "\x00time"
	durationRef = "\x00duration"
	// maxLiterals is how many literals a joined type still lists one by one.
	maxLiterals = 64
)

// statics are shared, and never written to.
type statics struct {
	any, null, never, bool, int, number, string *spec.Type
	list, dict, time, duration                  *spec.Type
}

func static() *statics { return &theStatics }

var theStatics = statics{
	any: &spec.Type{}, null: &spec.Type{Kind: spec.Union, Nullable: true}, never: &spec.Type{Kind: spec.Union},
	bool: &spec.Type{Kind: spec.Bool}, int: &spec.Type{Kind: spec.Int}, number: &spec.Type{Kind: spec.Number},
	string: &spec.Type{Kind: spec.String}, list: &spec.Type{Kind: spec.List}, dict: &spec.Type{Kind: spec.Map},
	time: &spec.Type{Kind: spec.String, Ref: timeRef}, duration: &spec.Type{Kind: spec.String, Ref: durationRef},
}

func listOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.List, Elem: elem} }

func mapOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.Map, Elem: elem} }

// literal is the type of one value.
func literal(kind spec.Kind, value any) *spec.Type { return &spec.Type{Kind: kind, Enum: []any{value}} }

func intLiteral(n int) *spec.Type { return literal(spec.Int, json.Number(strconv.Itoa(n))) }

// isTime reports whether t is a time or a duration, which only expressions have.
func isTime(t *spec.Type) bool { return t != nil && (t.Ref == timeRef || t.Ref == durationRef) }

// resolve follows references; times stay what they are.
func resolve(t *spec.Type, types spec.Types) *spec.Type {
	if isTime(t) {
		return t
	}
	return types.Resolve(t)
}

// isNull reports whether t holds nothing but null.
func isNull(t *spec.Type) bool {
	return t.Kind == spec.Union && t.Nullable && len(t.Variants) == 0 && t.Ref == ""
}

// isNever reports whether t holds nothing at all.
func isNever(t *spec.Type) bool {
	return t.Kind == spec.Union && !t.Nullable && len(t.Variants) == 0 && t.Ref == ""
}

// mayBeNull reports whether null is among the values of t.
func mayBeNull(t *spec.Type, types spec.Types) bool {
	t = resolve(t, types)
	if t.Nullable || slices.Contains(t.Enum, nil) {
		return true
	}
	return t.Kind == spec.Union && slices.ContainsFunc(t.Variants, func(v *spec.Type) bool {
		return v.Nullable || v.Ref != "" && types[v.Ref] != nil && types[v.Ref].Type.Nullable
	})
}

// nullable is t or null.
func nullable(t *spec.Type) *spec.Type {
	if t == nil {
		return &spec.Type{Nullable: true}
	}
	if t.Nullable {
		return t
	}
	if isNever(t) {
		return static().null
	}
	c := *t
	c.Nullable = true
	return &c
}

// present is t without null.
func present(t *spec.Type, types spec.Types) *spec.Type {
	if !mayBeNull(t, types) {
		return t
	}
	if t.Ref != "" && !isTime(t) {
		if named, ok := types[t.Ref]; ok && !mayBeNull(named.Type, types) {
			c := *t
			c.Nullable = false
			return &c
		}
	}
	c := *resolve(t, types)
	c.Nullable = false
	c.Enum = slices.DeleteFunc(slices.Clone(c.Enum), func(v any) bool { return v == nil })
	if len(c.Enum) == 0 {
		c.Enum = nil
	}
	if c.Kind == spec.Union {
		c.Variants = slices.Clone(c.Variants)
		for i, v := range c.Variants {
			if v.Nullable {
				c.Variants[i] = present(v, types)
			}
		}
	}
	return &c
}

// propertyType is what reading a property of an object gives: null too, where
// the property may be absent.
func propertyType(p *spec.Property) *spec.Type {
	if optional(p) {
		return nullable(p.Type)
	}
	if p.Type == nil {
		return static().any
	}
	return p.Type
}

// optional reports whether a property may be absent once defaults are set.
func optional(p *spec.Property) bool {
	return !p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil
}

// isNumeric reports whether a resolved type is int or number.
func isNumeric(t *spec.Type) bool { return !isTime(t) && (t.Kind == spec.Int || t.Kind == spec.Number) }

// isString reports whether a resolved type is text.
func isString(t *spec.Type) bool { return !isTime(t) && t.Kind == spec.String }

// isAny reports whether nothing is known of a resolved type.
func isAny(t *spec.Type) bool { return t.Kind == spec.Any }

// literals are the values that a resolved type is made of, nil where it is not.
func literals(t *spec.Type) []any {
	if t.Kind == spec.Union || isTime(t) {
		return nil
	}
	return t.Enum
}
