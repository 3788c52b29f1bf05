// Package types knows everything about types, once: which values a type has, which type
// can stand for another, what two have in common, and where their secrets are. Types are
// spec.Type; the names that they refer to are spec.Types.
package types

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// The static types of expressions are spec.Type, with three additions that no document
// can write: null alone is a nullable union of nothing, never (the item of an empty
// list) is a union of nothing, and times and durations are references that resolve to
// nothing.
const (
	TimeRef     = "\x00time"
	DurationRef = "\x00duration"
	// maxLiterals is how many literals a joined type still lists one by one.
	maxLiterals = 64
)

// The types that need no description of their own are shared, and never written to.
var (
	anyType      = &spec.Type{}
	nullType     = &spec.Type{Kind: spec.Union, Nullable: true}
	neverType    = &spec.Type{Kind: spec.Union}
	boolType     = &spec.Type{Kind: spec.Bool}
	intType      = &spec.Type{Kind: spec.Int}
	numberType   = &spec.Type{Kind: spec.Number}
	stringType   = &spec.Type{Kind: spec.String}
	listType     = &spec.Type{Kind: spec.List}
	mapType      = &spec.Type{Kind: spec.Map}
	timeType     = &spec.Type{Kind: spec.String, Ref: TimeRef}
	durationType = &spec.Type{Kind: spec.String, Ref: DurationRef}
)

// Any returns the type of any value, null included.
func Any() *spec.Type { return anyType }

// Null returns the type of null alone.
func Null() *spec.Type { return nullType }

// Never returns the type that no value has: that of the items of an empty list.
func Never() *spec.Type { return neverType }

// Bool returns the type of true and false.
func Bool() *spec.Type { return boolType }

// Int returns the type of whole numbers.
func Int() *spec.Type { return intType }

// Number returns the type of all numbers.
func Number() *spec.Type { return numberType }

// String returns the type of strings.
func String() *spec.Type { return stringType }

// List returns the type of lists of any items.
func List() *spec.Type { return listType }

// Map returns the type of maps of any values.
func Map() *spec.Type { return mapType }

// Time returns the type of points in time, which only expressions have.
func Time() *spec.Type { return timeType }

// Duration returns the type of durations, which only expressions have.
func Duration() *spec.Type { return durationType }

// ListOf returns the type of lists of these items.
func ListOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.List, Elem: elem} }

// MapOf returns the type of maps of these values.
func MapOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.Map, Elem: elem} }

// Elem returns the type of a list's items or a map's values, never nil.
func Elem(t *spec.Type) *spec.Type {
	if t.Elem == nil {
		return Any()
	}
	return t.Elem
}

// Literal returns the type of one value.
func Literal(kind spec.Kind, value any) *spec.Type { return &spec.Type{Kind: kind, Enum: []any{value}} }

// IntLiteral returns the type of one whole number.
func IntLiteral(n int) *spec.Type { return Literal(spec.Int, json.Number(strconv.Itoa(n))) }

// OfValue returns the type of a value that is known.
func OfValue(v any) *spec.Type {
	switch v := v.(type) {
	case nil:
		return Null()
	case bool:
		return Literal(spec.Bool, v)
	case string:
		return Literal(spec.String, v)
	case []any, map[string]any, *spec.File:
		return Any()
	}
	if r := Exact(v); r != nil && r.IsInt() {
		return Literal(spec.Int, LiteralNumber(v))
	}
	return Literal(spec.Number, LiteralNumber(v))
}

// IsTime reports whether t is a time or a duration, which only expressions have.
func IsTime(t *spec.Type) bool { return t != nil && (t.Ref == TimeRef || t.Ref == DurationRef) }

// Resolve follows references; times stay what they are.
func Resolve(t *spec.Type, types spec.Types) *spec.Type {
	if IsTime(t) {
		return t
	}
	return types.Resolve(t)
}

// IsNull reports whether t holds nothing but null.
func IsNull(t *spec.Type) bool {
	return t.Kind == spec.Union && t.Nullable && len(t.Variants) == 0 && t.Ref == ""
}

// IsNever reports whether t holds nothing at all.
func IsNever(t *spec.Type) bool {
	return t.Kind == spec.Union && !t.Nullable && len(t.Variants) == 0 && t.Ref == ""
}

// MayBeNull reports whether null is among the values of t.
func MayBeNull(t *spec.Type, types spec.Types) bool {
	t = Resolve(t, types)
	if t.Nullable || slices.Contains(t.Enum, nil) {
		return true
	}
	return t.Kind == spec.Union && slices.ContainsFunc(t.Variants, func(v *spec.Type) bool {
		return v.Nullable || v.Ref != "" && types[v.Ref] != nil && types[v.Ref].Type.Nullable
	})
}

// Nullable returns t or null.
func Nullable(t *spec.Type) *spec.Type {
	if t == nil {
		return &spec.Type{Nullable: true}
	}
	if t.Nullable {
		return t
	}
	if IsNever(t) {
		return Null()
	}
	c := *t
	c.Nullable = true
	return &c
}

// Present returns t without null.
func Present(t *spec.Type, types spec.Types) *spec.Type {
	if !MayBeNull(t, types) {
		return t
	}
	if t.Ref != "" && !IsTime(t) {
		if named, ok := types[t.Ref]; ok && !MayBeNull(named.Type, types) {
			c := *t
			c.Nullable = false
			return &c
		}
	}
	c := *Resolve(t, types)
	c.Nullable = false
	c.Enum = slices.DeleteFunc(slices.Clone(c.Enum), func(v any) bool { return v == nil })
	if len(c.Enum) == 0 {
		c.Enum = nil
	}
	if c.Kind == spec.Union {
		c.Variants = slices.Clone(c.Variants)
		for i, v := range c.Variants {
			if v.Nullable {
				c.Variants[i] = Present(v, types)
			}
		}
	}
	return &c
}

// PropertyType returns what reading a property of an object gives: null too, where
// the property may be absent.
func PropertyType(p *spec.Property) *spec.Type {
	if Optional(p) {
		return Nullable(p.Type)
	}
	if p.Type == nil {
		return Any()
	}
	return p.Type
}

// Member returns the type of a named member of an object or a map.
func Member(t *spec.Type, name string) (*spec.Type, bool) {
	switch {
	case t.Kind == spec.Map:
		return Nullable(Elem(t)), true
	case t.Kind != spec.Object:
		return nil, false
	}
	if f := t.Field(name); f != nil {
		return PropertyType(f), true
	}
	if t.Open {
		if t.Elem == nil {
			return Any(), true
		}
		return Nullable(t.Elem), true
	}
	return nil, false
}

// Optional reports whether a property may be absent once defaults are set.
func Optional(p *spec.Property) bool {
	return !p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil
}

// IsNumeric reports whether a resolved type is int or number.
func IsNumeric(t *spec.Type) bool { return !IsTime(t) && (t.Kind == spec.Int || t.Kind == spec.Number) }

// IsString reports whether a resolved type is text.
func IsString(t *spec.Type) bool { return !IsTime(t) && t.Kind == spec.String }

// IsAny reports whether nothing is known of a resolved type.
func IsAny(t *spec.Type) bool { return t.Kind == spec.Any }

// Literals returns the values that a resolved type is made of, nil where it is not.
func Literals(t *spec.Type) []any {
	if t.Kind == spec.Union || IsTime(t) {
		return nil
	}
	return t.Enum
}

// WithoutTimes returns a type as it is outside of an expression: times are text there.
func WithoutTimes(t *spec.Type) *spec.Type {
	switch {
	case t == nil:
		return Any()
	case IsTime(t):
		return &spec.Type{Kind: spec.String, Nullable: t.Nullable}
	case t.Ref != "":
		return t
	}
	if !holdsTime(t) {
		return t
	}
	c := *t
	if t.Elem != nil {
		c.Elem = WithoutTimes(t.Elem)
	}
	c.Fields = slices.Clone(t.Fields)
	for i, f := range c.Fields {
		p := *f
		p.Type = WithoutTimes(f.Type)
		c.Fields[i] = &p
	}
	c.Variants = slices.Clone(t.Variants)
	for i, v := range c.Variants {
		c.Variants[i] = WithoutTimes(v)
	}
	return &c
}

// holdsTime reports whether a type that was not declared has a time in it.
func holdsTime(t *spec.Type) bool {
	return t != nil && (IsTime(t) || t.Ref == "" && (holdsTime(t.Elem) ||
		slices.ContainsFunc(t.Fields, func(f *spec.Property) bool { return holdsTime(f.Type) }) ||
		slices.ContainsFunc(t.Variants, holdsTime)))
}

// IsScalar reports whether values of a resolved type can stand in text.
func IsScalar(t *spec.Type, types spec.Types) bool {
	switch {
	case IsTime(t) || IsAny(t) || IsNever(t):
		return true
	case t.Kind == spec.Union:
		for _, v := range t.Variants {
			if !IsScalar(Resolve(v, types), types) {
				return false
			}
		}
		return true
	default:
		return t.Kind == spec.Bool || IsNumeric(t) || t.Kind == spec.String
	}
}
