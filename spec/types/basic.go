// Package types implements all operations on types: which values a type has, which
// type is assignable to another, the common type of two types, and which parts are
// secret. Types are spec.Type, and the definitions that they refer to are spec.Types.
package types

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// The static types of expressions are spec.Type, with three additions that documents
// cannot express. The type of null alone is a nullable union without variants. The
// type never (that of an item of an empty list) is a union without variants. Times
// and durations are references that no definition resolves.
const (
	TimeRef     = "\x00time"
	DurationRef = "\x00duration"
	// maxLiterals is the maximum number of literals in a joined enum.
	maxLiterals = 64
)

// Types without parameters are shared. They must not be modified.
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

// Any returns the type of all values, including null.
func Any() *spec.Type { return anyType }

// Null returns the type of null alone.
func Null() *spec.Type { return nullType }

// Never returns the type without values, which is that of the items of an empty list.
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

// Time returns the type of points in time, which exists only in expressions.
func Time() *spec.Type { return timeType }

// Duration returns the type of durations, which exists only in expressions.
func Duration() *spec.Type { return durationType }

// ListOf returns the type of lists with items of type elem.
func ListOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.List, Elem: elem} }

// MapOf returns the type of maps with values of type elem.
func MapOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.Map, Elem: elem} }

// Elem returns the type of the items of a list or of the values of a map, never nil.
func Elem(t *spec.Type) *spec.Type {
	if t.Elem == nil {
		return Any()
	}
	return t.Elem
}

// Values returns the type of the values of a resolved map or object, or any for other types.
func Values(t *spec.Type, named spec.Types) *spec.Type {
	switch {
	case t.Kind == spec.Map:
		return Elem(t)
	case t.Kind != spec.Object || t.Open:
		return Any()
	}
	value := Never()
	for _, f := range t.Fields {
		value = Join(value, PropertyType(f), named)
	}
	return value
}

// Literal returns the type whose only value is value.
func Literal(kind spec.Kind, value any) *spec.Type { return &spec.Type{Kind: kind, Enum: []any{value}} }

// IntLiteral returns the type whose only value is n.
func IntLiteral(n int) *spec.Type { return Literal(spec.Int, json.Number(strconv.Itoa(n))) }

// OfValue returns the type of a known value.
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

// IsTime reports whether t is a time or a duration.
func IsTime(t *spec.Type) bool { return t != nil && (t.Ref == TimeRef || t.Ref == DurationRef) }

// Resolve follows references. Times and durations are returned unchanged.
func Resolve(t *spec.Type, types spec.Types) *spec.Type {
	if IsTime(t) {
		return t
	}
	return types.Resolve(t)
}

// IsNull reports whether null is the only value of t.
func IsNull(t *spec.Type) bool {
	return t.Kind == spec.Union && t.Nullable && len(t.Variants) == 0 && t.Ref == ""
}

// IsOnlyNull reports whether an author has declared that null is the only value of t.
func IsOnlyNull(t *spec.Type) bool {
	return IsNull(t) || t.Ref == "" && len(t.Enum) == 1 && t.Enum[0] == nil
}

// IsNever reports whether t has no values.
func IsNever(t *spec.Type) bool {
	return t.Kind == spec.Union && !t.Nullable && len(t.Variants) == 0 && t.Ref == ""
}

// MayBeNull reports whether null is declared as a value of t. It is false for Any, which says nothing
// about null.
func MayBeNull(t *spec.Type, types spec.Types) bool { return mayBeNull(t, types, 0) }

func mayBeNull(t *spec.Type, types spec.Types, depth int) bool {
	t = Resolve(t, types)
	if t.Nullable || slices.Contains(t.Enum, nil) {
		return true
	}
	return t.Kind == spec.Union && depth < maxAssignDepth && slices.ContainsFunc(t.Variants, func(v *spec.Type) bool {
		return mayBeNull(v, types, depth+1)
	})
}

// Nullable returns t with null added.
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

// Present returns t with null removed.
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

// PropertyType returns the type of an expression that reads a property. It includes
// null if the property may be absent.
func PropertyType(p *spec.Property) *spec.Type {
	if p.Optional() {
		return Nullable(p.Type)
	}
	if p.Type == nil {
		return Any()
	}
	return p.Type
}

// Member returns the type of a named member of an object or a map, and whether t has
// one.
func Member(t *spec.Type, name string) (*spec.Type, bool) {
	switch {
	case t.Kind == spec.Map:
		if t.Sent != nil && IsAny(Elem(t)) && t.Sent.Struct.Field(name) == nil {
			return Nullable(Lossy(Any(), nil, t.Sent.Struct.Elem)), true
		}
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

// IsNumeric reports whether a resolved type is int or number.
func IsNumeric(t *spec.Type) bool { return !IsTime(t) && (t.Kind == spec.Int || t.Kind == spec.Number) }

// IsString reports whether a resolved type is string.
func IsString(t *spec.Type) bool { return !IsTime(t) && t.Kind == spec.String }

// IsAny reports whether a resolved type is any.
func IsAny(t *spec.Type) bool { return t.Kind == spec.Any }

// Literals returns the values of a resolved enum type, or nil for any other type.
func Literals(t *spec.Type) []any {
	if t.Kind == spec.Union || IsTime(t) {
		return nil
	}
	return t.Enum
}

// WithoutTimes returns a type with times and durations replaced by strings, as values
// have outside of expressions.
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

// holdsTime reports whether an undeclared type contains a time or a duration.
func holdsTime(t *spec.Type) bool {
	return t != nil && (IsTime(t) || t.Ref == "" && (holdsTime(t.Elem) ||
		slices.ContainsFunc(t.Fields, func(f *spec.Property) bool { return holdsTime(f.Type) }) ||
		slices.ContainsFunc(t.Variants, holdsTime)))
}

// IsScalar reports whether values of a resolved type can be inserted into text.
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
