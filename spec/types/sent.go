package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// Lossy returns an untyped type whose values may be of other types as well, and then have names and types on the wire
// that it does not tell. See spec.Type.Lost.
func Lossy(t *spec.Type, named spec.Types, of ...*spec.Type) *spec.Type {
	lost := t.Lost
	for _, o := range of {
		lost = unite(lost, lostIn(o, named))
	}
	if lost == t.Lost {
		return t
	}
	out := *t
	out.Lost = lost
	return &out
}

// unite returns a type that is both of two types for Lost; either may be nil.
func unite(a, b *spec.Type) *spec.Type {
	switch {
	case a == nil || b == nil || sameStructure(a, b):
		if a == nil {
			return b
		}
		return a
	case a.Kind == spec.Union && a.Ref == "" && slices.ContainsFunc(a.Variants, func(v *spec.Type) bool { return sameStructure(v, b) }):
		return a
	default:
		return &spec.Type{Kind: spec.Union, Variants: []*spec.Type{a, b}}
	}
}

// lostIn returns what is lost of a type's form on the wire if values of it become untyped; nil if nothing is.
func lostIn(t *spec.Type, named spec.Types) *spec.Type {
	if t == nil || IsTime(t) || IsNull(t) || IsNever(t) {
		return nil
	}
	switch r := Resolve(t, named); {
	case IsAny(r):
		return r.Lost
	case r.Kind != spec.List && r.Kind != spec.Map && r.Kind != spec.Object && r.Kind != spec.Union && r.OnWire == spec.Any:
		return r.Lost
	default:
		return t
	}
}

// untypedMember returns the type of a member of an untyped value.
func untypedMember(t *spec.Type, name string, named spec.Types) *spec.Type {
	if t.Lost == nil {
		return Any()
	}
	lost := Resolve(t.Lost, named)
	if lost.Kind == spec.Object && !lost.Open && lost.Field(name) == nil {
		return Any()
	}
	if lost.Kind == spec.Object && lost.Field(name) != nil {
		return Lossy(Any(), named, lost.Field(name).Type)
	}
	return Lossy(Any(), named, t.Lost)
}

// MemberOfUntyped returns the type of a member of an untyped value, whose name is "" if it is not known.
func MemberOfUntyped(t *spec.Type, name string, named spec.Types) *spec.Type {
	if name == "" {
		return Lossy(Any(), named, t.Lost)
	}
	return untypedMember(t, name, named)
}

// AsSent returns a map, struct or union of such as the struct that it is on the wire, and whether its undeclared members
// count less than the declared ones. ok is false for other types.
func AsSent(t *spec.Type, named spec.Types) (out *spec.Type, beneath, ok bool) {
	t = Resolve(t, named)
	switch {
	case IsAny(t):
		return &spec.Type{Kind: spec.Object, Open: true, Lost: t.Lost}, false, true
	case t.Kind == spec.Map && t.Sent != nil && t.Sent.Struct != nil:
		return t.Sent.Struct, t.Sent.Beneath, true
	case t.Kind == spec.Map:
		return &spec.Type{Kind: spec.Object, Open: true, Elem: t.Elem, Lost: t.Lost}, false, true
	case t.Kind == spec.Object:
		return t, false, true
	case t.Kind != spec.Union || IsTime(t):
		return nil, false, false
	}
	for i, v := range t.Variants {
		s, under, ok := AsSent(v, named)
		if !ok {
			return nil, false, false
		}
		if i == 0 {
			out, beneath = s, under
			continue
		}
		out, beneath = eitherSent(out, s, named), beneath || under
	}
	return out, beneath, out != nil
}

// eitherSent returns the struct that two structs are on the wire if a value is one of them.
func eitherSent(a, b *spec.Type, named spec.Types) *spec.Type {
	if sameStructure(a, b) {
		return a
	}
	out := &spec.Type{Kind: spec.Object, Open: a.Open || b.Open, Lost: unite(a.Lost, b.Lost)}
	switch {
	case a.Open && b.Open && a.Elem != nil && b.Elem != nil:
		out.Elem = Join(a.Elem, b.Elem, named)
	case a.Open && b.Open:
		out.Elem = Lossy(Any(), named, Elem(a), Elem(b))
	case a.Open:
		out.Elem = a.Elem
	case b.Open:
		out.Elem = b.Elem
	}
	for _, f := range a.Fields {
		p := *f
		p.Required = false
		switch other := b.Field(f.Name); {
		case other == nil && b.Open:
			out.Lost = unite(out.Lost, &spec.Type{Kind: spec.Object, Fields: []*spec.Property{f}})
		case other == nil:
		case other.Wire != f.Wire || !slices.Equal(other.WireParents, f.WireParents) || !slices.Equal(other.WireItem, f.WireItem):
			out.Lost = unite(out.Lost, &spec.Type{Kind: spec.Object, Fields: []*spec.Property{f, other}})
		default:
			p.Type = Join(f.Type, other.Type, named)
		}
		out.Fields = append(out.Fields, &p)
	}
	for _, f := range b.Fields {
		if a.Field(f.Name) != nil {
			continue
		}
		if a.Open {
			out.Lost = unite(out.Lost, &spec.Type{Kind: spec.Object, Fields: []*spec.Property{f}})
		}
		p := *f
		p.Required = false
		out.Fields = append(out.Fields, &p)
	}
	return out
}

// JoinApart is Join for values that have nothing to do with each other: a literal does not take the form of the other one.
func JoinApart(a, b *spec.Type, named spec.Types) *spec.Type {
	out := Join(a, b, named)
	if ra, rb := Resolve(a, named), Resolve(b, named); IsNever(ra) || ra.OnWire == rb.OnWire {
		return out
	}
	lossy := *out
	lossy.Lost = unite(unite(out.Lost, lostIn(a, named)), lostIn(b, named))
	return &lossy
}

// joinMaps joins two resolved map types.
func joinMaps(a, b *spec.Type, named spec.Types) *spec.Type {
	out := MapOf(Join(Elem(a), Elem(b), named))
	if a.Sent == nil && b.Sent == nil {
		return out
	}
	sa, under, _ := AsSent(a, named)
	sb, below, _ := AsSent(b, named)
	s := eitherSent(sa, sb, named)
	out.Sent, out.Lost = &spec.Sent{Struct: s, Beneath: under || below}, unite(a.Lost, b.Lost)
	return out
}

// ListOfItems returns the type of a list with an item of each type.
func ListOfItems(items []*spec.Type, named spec.Types) *spec.Type {
	item, size := Never(), len(items)
	for _, it := range items {
		item = Join(item, it, named)
	}
	out := &spec.Type{Kind: spec.List, Elem: item, MinLen: size, MaxLen: &size}
	if r := Resolve(item, named); size > 1 && !IsTime(r) && (r.Lost != nil || r.Kind == spec.Union && !IsNever(r) && !IsNull(r)) {
		out.Sent = &spec.Sent{Items: items}
	}
	return out
}
