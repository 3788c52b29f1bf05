package value

import (
	"math"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// shape is the form of a property.Value for resolving unions; see types.Variant.
type shape struct{ value property.Value }

func (s shape) Kind() spec.Kind {
	switch v := s.value; {
	case v.IsComputed():
		return spec.Any
	case v.IsBool():
		return spec.Bool
	case v.IsNumber():
		if n := v.AsNumber(); n == math.Trunc(n) {
			return spec.Int
		}
		return spec.Number
	case v.IsString():
		return spec.String
	case v.IsArray():
		return spec.List
	case v.IsMap():
		return spec.Object
	case v.IsAsset():
		return spec.Asset
	case v.IsArchive():
		return spec.Archive
	default:
		return spec.Union
	}
}

func (s shape) Is(literal any) bool { return types.SameLiteral(scalarOf(s.value), literal) }

func (s shape) Member(p *spec.Property) types.Shape {
	if !s.value.IsMap() {
		return nil
	}
	if v := s.value.AsMap().Get(p.Name); !v.IsNull() {
		return shape{v}
	}
	return nil
}

func (s shape) IsNull(p *spec.Property) bool {
	if !s.value.IsMap() {
		return false
	}
	v, given := s.value.AsMap().GetOk(p.Name)
	return given && v.IsNull()
}

func (s shape) Len() int {
	switch {
	case s.value.IsMap():
		return s.value.AsMap().Len()
	case s.value.IsArray():
		return s.value.AsArray().Len()
	default:
		return 0
	}
}

func (s shape) Each(visit func(types.Shape)) {
	switch {
	case s.value.IsMap():
		for _, v := range s.value.AsMap().All {
			if !v.IsNull() {
				visit(shape{v})
			}
		}
	case s.value.IsArray():
		for _, v := range s.value.AsArray().All {
			if !v.IsNull() {
				visit(shape{v})
			}
		}
	}
}

// accepts reports whether a value has the kind of a type that is not a union.
func (c *Type) accepts(v property.Value) bool { return types.Takes(c.Spec, shape{v}.Kind()) }

// variantOf returns the type of the variant that a value of a union belongs to. It
// returns c if c is not a union, and Untyped if the variant is not known.
func (c *Type) variantOf(v property.Value) *Type {
	if c.Spec.Kind != spec.Union {
		return c
	}
	if i := types.Variant(c.Spec, shape{v}, c.types); i >= 0 {
		return c.variants[i].variantOf(v)
	}
	return Untyped
}
