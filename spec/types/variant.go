package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// NoVariant is the result of Variant for a value that matches no variant of a union,
// or several equally well.
const NoVariant = -1

// Undecided is the result of Variant if the part of the value that identifies the
// variant is not known yet.
const Undecided = -2

// Shape is the view of a value that identifies its variant in a union. Secret marks
// are ignored, because the shape of a secret is not secret.
type Shape interface {
	// Kind is Bool, Int (a whole number), Number (any other), String, List, Object (a
	// struct or a map), Asset or Archive. It is Any if the value is not known yet,
	// and Union if it is none of these.
	Kind() spec.Kind
	// Is reports whether a scalar equals a literal of the spec.
	Is(literal any) bool
	// Member returns a property of a struct, or nil if it is absent or null.
	Member(p *spec.Property) Shape
	// IsNull reports whether a struct has a property whose value is null.
	IsNull(p *spec.Property) bool
	// Len returns the number of items of a list or members of a struct.
	Len() int
	// Each calls visit with the items of a list or the values of a map, except nulls.
	Each(visit func(Shape))
}

// Variant returns the index of the variant of a union that matches a value, or
// NoVariant, or Undecided. All packages use it, so a value has the same variant when
// it is checked, compared, projected, renamed, marked as secret and written.
//
// The kind of the value comes first, then the tag of the union. Without a tag, the
// first variant that fits best is chosen. Bounds and patterns are not considered, and
// null has no variant.
func Variant(union *spec.Type, v Shape, named spec.Types) int {
	return variants{named}.variant(union, v, 0)
}

// Narrow returns the variant that a value matches if t is a union, also through
// nested unions. It returns nil if there is none or it is not decided. Other types
// are returned as Types.Resolve does.
func Narrow(t *spec.Type, v Shape, named spec.Types) *spec.Type {
	t = named.Resolve(t)
	for depth := 0; t.Kind == spec.Union; depth++ {
		i := Variant(t, v, named)
		if i < 0 || depth > maxVariantDepth {
			return nil
		}
		t = named.Resolve(t.Variants[i])
	}
	return t
}

// variants finds the variants of unions whose types may refer to named types.
type variants struct{ spec.Types }

// maxVariantDepth limits the recursion for unions that contain themselves.
const maxVariantDepth = 100

func (ts variants) variant(union *spec.Type, v Shape, depth int) int {
	kind := v.Kind()
	if kind == spec.Any {
		return Undecided
	}
	if kind == spec.Union {
		return NoVariant
	}
	only, candidates := NoVariant, 0
	for i, t := range union.Variants {
		if ts.takes(t, kind, depth) {
			only, candidates = i, candidates+1
		}
	}
	switch {
	case candidates < 2:
		return only
	case kind == spec.Object && union.Tag != "":
		return ts.findByTag(union, v)
	default:
		return ts.findBest(union, v, kind, depth)
	}
}

// takes reports whether values of a kind can belong to a type.
func (ts variants) takes(t *spec.Type, kind spec.Kind, depth int) bool {
	if t = ts.Resolve(t); t.Kind != spec.Union {
		return Takes(t, kind)
	}
	return depth < maxVariantDepth && slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return ts.takes(v, kind, depth+1) })
}

// findByTag returns the variant that the tag identifies.
func (ts variants) findByTag(union *spec.Type, v Shape) int {
	for i, t := range union.Variants {
		for _, p := range ts.tags(t, union.Tag, 0) {
			tag := v.Member(p)
			switch {
			case tag == nil:
			case tag.Kind() == spec.Any:
				return Undecided
			case slices.ContainsFunc(ts.Resolve(p.Type).Enum, tag.Is):
				return i
			}
		}
	}
	return NoVariant
}

// Tags returns the properties with the name tag of a struct, or of all structs of a
// union.
func Tags(t *spec.Type, tag string, named spec.Types) []*spec.Property {
	return variants{named}.tags(t, tag, 0)
}

func (ts variants) tags(t *spec.Type, tag string, depth int) []*spec.Property {
	t = ts.Resolve(t)
	if p := t.Field(tag); p != nil {
		return []*spec.Property{p}
	}
	var tags []*spec.Property
	if t.Kind == spec.Union && depth < maxVariantDepth {
		for _, v := range t.Variants {
			tags = append(tags, ts.tags(v, tag, depth+1)...)
		}
	}
	return tags
}

// fit is how well a value fits a type.
type fit uint8

const (
	misfit fit = iota // the kind differs
	partly            // the kind matches, but a member or item does not
	mostly            // the value has members that the type does not declare
	fully
)

// findBest returns the first variant that fits a value best. It returns NoVariant if
// none fits, and Undecided if unknown parts could change the result.
func (ts variants) findBest(union *spec.Type, v Shape, kind spec.Kind, depth int) int {
	found, most, open, rivals := NoVariant, misfit, false, 0
	for i, t := range union.Variants {
		if !ts.takes(t, kind, depth) {
			continue
		}
		f, guessed := ts.fit(t, v, depth+1)
		switch {
		case f > most:
			found, most, open, rivals = i, f, guessed, 0
		case f == most:
			open, rivals = open || guessed, rivals+1
		}
	}
	switch {
	case rivals > 0 && open:
		return Undecided
	case rivals > 0 && most == partly:
		return NoVariant
	default:
		return found
	}
}

// fit reports how well a value fits a type. guessed reports whether an unknown part
// was assumed to fit.
func (ts variants) fit(t *spec.Type, v Shape, depth int) (f fit, guessed bool) {
	kind := v.Kind()
	switch t = ts.Resolve(t); {
	case kind == spec.Any:
		return fully, true
	case kind == spec.Union || depth > maxVariantDepth || !ts.takes(t, kind, depth):
		return misfit, false
	case t.Kind == spec.Any:
		return mostly, false
	case t.Kind == spec.Union:
		for _, variant := range t.Variants {
			inner, unsure := ts.fit(variant, v, depth+1)
			f, guessed = max(f, inner), guessed || unsure
		}
		return f, guessed
	case len(t.Enum) > 0 && !slices.ContainsFunc(t.Enum, v.Is):
		return partly, false
	case t.Kind == spec.Object:
		return ts.fitMembers(t, v, depth)
	case t.Kind == spec.Map && t.Sent != nil:
		return ts.fitMembers(t.Sent.Struct, v, depth)
	case t.Kind == spec.List || t.Kind == spec.Map:
		return ts.fitItems(t, v, depth)
	default:
		return fully, false
	}
}

func (ts variants) fitMembers(t *spec.Type, v Shape, depth int) (f fit, guessed bool) {
	f = fully
	given := 0
	for _, p := range t.Fields {
		member := v.Member(p)
		if member == nil {
			if v.IsNull(p) {
				given++
			}
			if p.Required && p.Default == nil && !ts.Resolve(p.Type).Nullable {
				f = partly
			}
			continue
		}
		given++
		inner, unsure := ts.fit(p.Type, member, depth+1)
		f, guessed = min(f, max(inner, partly)), guessed || unsure
	}
	if given < v.Len() && !t.Open {
		f = min(f, mostly)
	}
	return f, guessed
}

func (ts variants) fitItems(t *spec.Type, v Shape, depth int) (f fit, guessed bool) {
	f = fully
	if t.Elem == nil {
		return mostly, false
	}
	v.Each(func(item Shape) {
		inner, unsure := ts.fit(t.Elem, item, depth+1)
		f, guessed = min(f, max(inner, partly)), guessed || unsure
	})
	return f, guessed
}
