package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

const (
	anyRef     = "pulumi.json#/Any"
	assetRef   = "pulumi.json#/Asset"
	archiveRef = "pulumi.json#/Archive"
	typesRef   = "#/types/"
)

// place is the position of a type: the name for the type, if it needs one, and its
// documentation.
type place struct {
	base string
	doc  string
	side side
}

// nameTypes names all definitions that a schema can show, before any type is named
// after its position.
func (g *typeGenerator) nameTypes() {
	for _, key := range sortedKeys(g.shown) {
		if t := g.named.Resolve(&spec.Type{Ref: key}); isStruct(t) || g.isEnum(t) {
			g.refs[key] = g.names.claim(names.Pascal(g.named[key].Name))
		}
	}
	for _, key := range sortedKeys(g.refs) {
		named := g.named[key]
		g.types[g.token(g.refs[key])] = g.define(g.named.Resolve(named.Type), place{base: g.refs[key], doc: named.Doc, side: input})
	}
}

// isStruct reports whether the type is an object with declared members only, which
// Pulumi calls an object type.
func isStruct(t *spec.Type) bool { return t.Kind == spec.Object && !t.Open && len(t.Fields) > 0 }

// typeSpec describes a type. Objects and enums become named types with references to
// them.
func (g *typeGenerator) typeSpec(t *spec.Type, at place) typeSpec {
	if t == nil {
		return typeSpec{Ref: anyRef}
	}
	if t.Ref != "" {
		return g.reference(t, at)
	}
	switch t.Kind {
	case spec.Bool, spec.Int, spec.Number, spec.String:
		if g.isEnum(t) {
			return g.placed(t, at)
		}
		return typeSpec{Type: primitive(t.Kind)}
	case spec.List:
		elem := g.typeSpec(t.Elem, at)
		return typeSpec{Type: "array", Items: &elem}
	case spec.Map:
		elem := g.typeSpec(t.Elem, at)
		return typeSpec{Type: "object", AdditionalProperties: &elem}
	case spec.Object:
		return g.object(t, at)
	case spec.Union:
		return g.union(t, at)
	case spec.Asset:
		return typeSpec{Ref: assetRef}
	case spec.Archive:
		return typeSpec{Ref: archiveRef}
	default:
		return typeSpec{Ref: anyRef}
	}
}

func primitive(k spec.Kind) string {
	switch k {
	case spec.Bool:
		return "boolean"
	case spec.Int:
		return "integer"
	case spec.Number:
		return "number"
	default:
		return "string"
	}
}

// reference describes a definition by its name, or by its type if Pulumi has no names
// for such types (lists, scalars).
func (g *typeGenerator) reference(t *spec.Type, at place) typeSpec {
	if name, ok := g.refs[t.Ref]; ok {
		return g.ref(name)
	}
	if g.open[t.Ref] {
		return typeSpec{Ref: anyRef}
	}
	g.open[t.Ref] = true
	defer delete(g.open, t.Ref)
	named, ok := g.named[t.Ref]
	if !ok {
		return typeSpec{Ref: anyRef}
	}
	return g.typeSpec(named.Type, at)
}

func (g *typeGenerator) ref(name string) typeSpec { return typeSpec{Ref: typesRef + g.token(name)} }

// refToken returns the token in a reference to a type of this package, or "".
func refToken(ref string) string {
	token, ok := strings.CutPrefix(ref, typesRef)
	if !ok {
		return ""
	}
	return token
}

// object describes a struct. Objects in Pulumi are closed, because a program must be
// able to write every member. So an open struct is a map: of its element type if it
// declares no members, otherwise of any.
func (g *typeGenerator) object(t *spec.Type, at place) typeSpec {
	if isStruct(t) {
		return g.placed(t, at)
	}
	elem := typeSpec{Ref: anyRef}
	if t.Open && t.Elem != nil && len(t.Fields) == 0 {
		elem = g.typeSpec(t.Elem, at)
	}
	return typeSpec{Type: "object", AdditionalProperties: &elem}
}

// placed describes a type that is named after its position. If inputs and outputs
// have equal types at the same position, they share one type. Otherwise the name of
// the output's type ends in Result.
func (g *typeGenerator) placed(t *spec.Type, at place) typeSpec {
	def := g.define(t, at)
	base := at.base
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprint(base, n)
		}
		if known, ok := g.types[g.token(name)]; ok && equal(known, def) {
			return g.ref(name)
		}
		if g.names.isFree(name) {
			g.names.take(name)
			g.types[g.token(name)] = def
			return g.ref(name)
		}
		if n == 1 && at.side != input && !strings.HasSuffix(base, "Result") {
			base, n = base+"Result", 0
		}
	}
}

func (g *typeGenerator) define(t *spec.Type, at place) complexType {
	if g.isEnum(t) {
		return g.enum(t, at)
	}
	s := input
	if at.side != input {
		s = within
	}
	properties, required := g.properties(t, at.base, s)
	return complexType{objectType: objectType{Description: at.doc, Type: "object", Properties: properties, Required: required}}
}

// union describes a union. Variants that are equal in a schema are merged. If a
// variant is any, so is the union.
func (g *typeGenerator) union(t *spec.Type, at place) typeSpec {
	var specs []typeSpec
	mapping := map[string]string{}
	for i, v := range t.Variants {
		part := g.typeSpec(variant(v), g.variantPlace(t, i, at))
		if part.Ref == anyRef {
			return part
		}
		specs = addDistinct(specs, part)
		if value, ok := g.tagValue(v, t.Tag); ok && refToken(part.Ref) != "" {
			mapping[value] = part.Ref
		}
	}
	switch len(specs) {
	case 0:
		return typeSpec{Ref: anyRef}
	case 1:
		return specs[0]
	}
	out := typeSpec{OneOf: specs}
	if t.Tag != "" && len(mapping) == len(t.Variants) {
		out.Discriminator = &discriminator{PropertyName: t.Tag, Mapping: mapping}
	}
	return out
}

// addDistinct adds a type, or its variants if it is a union, unless it is already
// there.
func addDistinct(specs []typeSpec, part typeSpec) []typeSpec {
	for _, alternative := range part.OneOf {
		specs = addDistinct(specs, alternative)
	}
	if part.OneOf != nil || slices.ContainsFunc(specs, func(s typeSpec) bool { return equal(s, part) }) {
		return specs
	}
	return append(specs, part)
}

// variant returns a variant without its literals: "a" | =~"^x-" is a string.
func variant(t *spec.Type) *spec.Type {
	if len(t.Enum) == 0 || t.Ref != "" {
		return t
	}
	plain := *t
	plain.Enum = nil
	return &plain
}

// variantPlace returns the position of a variant, named after the value of its tag.
func (g *typeGenerator) variantPlace(t *spec.Type, i int, at place) place {
	if value, ok := g.tagValue(t.Variants[i], t.Tag); ok {
		at.base += names.Pascal(value)
	}
	return at
}

// tagValue returns the literal that identifies the variant.
func (g *typeGenerator) tagValue(v *spec.Type, tag string) (string, bool) {
	f := g.named.Resolve(v).Field(tag)
	if tag == "" || f == nil {
		return "", false
	}
	literals := g.named.Resolve(f.Type).Enum
	if len(literals) != 1 {
		return "", false
	}
	value, ok := literals[0].(string)
	return value, ok
}
