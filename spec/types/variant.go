package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// NoVariant is the result of Variant for a value that is none of a union's
// variants, or that nothing tells apart.
const NoVariant = -1

// Undecided is the result of Variant where the part of the value that decides
// is not known yet.
const Undecided = -2

// Shape is what a union has to know of a value to tell which of its variants the
// value is. Secrets are seen through: their shape is no secret.
type Shape interface {
	// Kind is Bool, Int (a whole number), Number (any other), String, List, Object
	// (a struct or a map), Asset or Archive; Any where the value is not known yet,
	// and Union where it is none of these.
	Kind() spec.Kind
	// Is reports whether a scalar equals a literal of the spec.
	Is(literal any) bool
	// Member is a struct's property; nil where it is absent, or null.
	Member(p *spec.Property) Shape
	// Len is how many items a list has, or members a struct.
	Len() int
	// Each visits the items of a list, or the values of a map, but for nulls.
	Each(visit func(Shape))
}

// Variant returns the index of the variant of a union that a value is, or
// NoVariant, or Undecided. It is the only place that decides this: a value has
// the same variant when it is checked, compared, projected, renamed, marked
// as secret and written down.
//
// What the value can be by its kind comes first, then the union's tag; where there
// is no tag, the first variant that fits best. Bounds and patterns do not count, and
// null has no variant.
func Variant(union *spec.Type, v Shape, named spec.Types) int {
	return variants{named}.variant(union, v, 0)
}

// Narrow returns the type that a value is of where t is a union, of unions too;
// nil where no variant is told. Another type is returned as Resolve does.
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

// variants tells variants of unions, whose types may refer to named ones.
type variants struct{ spec.Types }

// maxVariantDepth stops unions that hold themselves.
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
		return ts.tagged(union, v)
	default:
		return ts.best(union, v, kind, depth)
	}
}

// takes reports whether values of a kind can be of a type at all.
func (ts variants) takes(t *spec.Type, kind spec.Kind, depth int) bool {
	if t = ts.Resolve(t); t.Kind != spec.Union {
		return Takes(t, kind)
	}
	return depth < maxVariantDepth && slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return ts.takes(v, kind, depth+1) })
}

// tagged returns the variant that the tag names.
func (ts variants) tagged(union *spec.Type, v Shape) int {
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

// Tags returns the properties of a name of a struct, or of all structs of a union.
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
	misfit fit = iota // it is of another kind
	partly            // its kind is right, and something in it is not
	mostly            // it has members beyond those of the type
	fully
)

// best returns the first variant that fits a value best. Where none fits, or what
// is not known yet could make another one fit, there is none.
func (ts variants) best(union *spec.Type, v Shape, kind spec.Kind, depth int) int {
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

// fit reports how well a value fits a type; guessed says that what is not known
// yet is taken to fit.
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
