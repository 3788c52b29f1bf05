package types

import (
	"reflect"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Join returns the smallest type that contains a and b, such as the type of a
// conditional expression.
func Join(a, b *spec.Type, types spec.Types) *spec.Type {
	switch {
	case a == b || IsNever(b):
		return a
	case IsNever(a):
		return b
	case IsNull(a):
		return Nullable(b)
	case IsNull(b):
		return Nullable(a)
	case a.Ref != "" && a.Ref == b.Ref:
		if b.Nullable {
			return Nullable(a)
		}
		return a
	}
	ra, rb := Resolve(a, types), Resolve(b, types)
	if IsAny(ra) || IsAny(rb) {
		any := Lossy(Any(), types, a, b)
		if ra.Nullable || rb.Nullable {
			return Nullable(any)
		}
		return any
	}
	out := joinKinds(ra, rb, a, b, types)
	if MayBeNull(ra, types) || MayBeNull(rb, types) {
		return Nullable(out)
	}
	return out
}

// joinKinds joins resolved types without regard to null. a and b are the same types
// before resolution.
func joinKinds(ra, rb, a, b *spec.Type, types spec.Types) *spec.Type {
	switch {
	case IsTime(ra) || IsTime(rb):
		return joinUnion(a, b, types)
	case IsNumeric(ra) && IsNumeric(rb), ra.Kind == rb.Kind && (ra.Kind == spec.String || ra.Kind == spec.Bool):
		kind := ra.Kind
		if IsNumeric(ra) && rb.Kind == spec.Number {
			kind = spec.Number
		}
		out := &spec.Type{Kind: kind, Enum: joinLiterals(ra.Enum, rb.Enum), OnWire: joinOnWire(ra, rb), Lost: unite(ra.Lost, rb.Lost)}
		if out.OnWire == spec.Any {
			out.Lost = unite(out.Lost, unite(lostIn(ra, types), lostIn(rb, types)))
		}
		return out
	case ra.Kind == spec.List && rb.Kind == spec.List:
		return ListOf(Join(Elem(ra), Elem(rb), types))
	case ra.Kind == spec.Map && rb.Kind == spec.Map:
		return joinMaps(ra, rb, types)
	case ra.Kind == spec.Map && IsEmptyObject(rb):
		return Present(a, types)
	case rb.Kind == spec.Map && IsEmptyObject(ra):
		return Present(b, types)
	case ra.Kind == rb.Kind && sameStructure(Present(ra, types), Present(rb, types)):
		return Present(a, types)
	default:
		return joinUnion(a, b, types)
	}
}

// sameStructure reports whether two types have the same values and names, whatever their documentation
// and their places in the spec.
func sameStructure(a, b *spec.Type) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	own, other := *a, *b
	for _, t := range []*spec.Type{&own, &other} {
		t.Elem, t.Fields, t.Variants = nil, nil, nil
	}
	return reflect.DeepEqual(own, other) && sameStructure(a.Elem, b.Elem) &&
		slices.EqualFunc(a.Variants, b.Variants, sameStructure) && slices.EqualFunc(a.Fields, b.Fields, sameProperty)
}

func sameProperty(a, b *spec.Property) bool {
	own, other := *a, *b
	for _, p := range []*spec.Property{&own, &other} {
		p.Type, p.Doc, p.Deprecated, p.Range, p.TypeRange = nil, "", "", diag.Range{}, diag.Range{}
	}
	return reflect.DeepEqual(own, other) && sameStructure(a.Type, b.Type)
}

// IsEmptyObject reports whether t is a struct that cannot have members.
func IsEmptyObject(t *spec.Type) bool { return t.Kind == spec.Object && len(t.Fields) == 0 && !t.Open }

// joinLiterals returns the literals of both enums. It returns nil if either is empty
// or the result would exceed maxLiterals.
func joinLiterals(a, b []any) []any {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.ContainsFunc(out, func(o any) bool { return reflect.DeepEqual(o, v) }) {
			out = append(out, v)
		}
	}
	return out
}

// joinUnion returns the flattened union of two types.
func joinUnion(a, b *spec.Type, types spec.Types) *spec.Type {
	var variants []*spec.Type
	for _, t := range [...]*spec.Type{a, b} {
		parts := []*spec.Type{t}
		if t.Kind == spec.Union && t.Ref == "" {
			parts = t.Variants
		}
		for _, part := range parts {
			part = Present(part, types)
			if !slices.ContainsFunc(variants, func(v *spec.Type) bool { return sameStructure(v, part) }) {
				variants = append(variants, part)
			}
		}
	}
	if len(variants) > maxLiterals {
		return Lossy(Any(), types, a, b)
	}
	return &spec.Type{Kind: spec.Union, Variants: variants}
}
