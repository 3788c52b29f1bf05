package openapi

import (
	"cmp"
	"slices"
	"strings"
)

// maxDepth limits how deep schemas contain each other where they have no name, and chains of allOf.
const maxDepth = 8

// The kinds of values.
const (
	anyKind     = ""
	objectKind  = "object"
	arrayKind   = "array"
	stringKind  = "string"
	integerKind = "integer"
	numberKind  = "number"
	booleanKind = "boolean"
)

// view is a schema with what it consists of (`allOf`), and without the alternative null.
type view struct {
	schema
	// name is the name of the component, or "".
	name     string
	kind     string
	members  []member
	required []string
	// variants are the alternatives, of which there are at least two, or nil.
	variants []part
}

// member is a member of an object.
type member struct {
	// name is the name on the wire, or a path of two names.
	name string
	// last is the last name of a path, or "".
	last     string
	schema   part
	required bool
}

// member returns a member by its name, or nil.
func (v view) member(name string) *member {
	if i := slices.IndexFunc(v.members, func(m member) bool { return m.name == name }); i >= 0 {
		return &v.members[i]
	}
	return nil
}

// viewOf returns the view of a schema. The view of none is a value of any kind.
func viewOf(p part) view { return viewAt(p, maxDepth) }

func viewAt(p part, depth int) view {
	p = p.resolved()
	if !p.exists() || depth == 0 {
		return view{}
	}
	v := view{schema: schemaOf(p), name: p.component}
	p.get("properties").each(func(name string, value part) {
		if v.member(name) == nil && name != "" {
			v.members = append(v.members, member{name: name, schema: value})
		}
	})
	v.require(p.get("required").texts())
	for _, each := range p.get("allOf").list() {
		v.add(viewAt(each, depth-1))
	}
	for _, alternatives := range []part{p.get("oneOf"), p.get("anyOf")} {
		v.addAlternatives(alternatives.list(), depth)
	}
	if v.kind == anyKind {
		v.kind = kindOf(v)
	}
	return v
}

func (v *view) require(names []string) {
	v.required = append(slices.Clone(v.required), names...)
	for i := range v.members {
		v.members[i].required = v.members[i].required || slices.Contains(v.required, v.members[i].name)
	}
}

// add adds what a part of allOf says.
func (v *view) add(p view) {
	own := len(v.members)
	for _, m := range p.members {
		if v.member(m.name) == nil {
			v.members = append(v.members, m)
		}
	}
	v.require(p.required)
	v.name, v.kind = cmp.Or(v.name, p.name), cmp.Or(v.kind, p.kind)
	if own > 0 && len(v.members) > own {
		v.name = "" // more than the part
	}
	v.description, v.format, v.pattern = cmp.Or(v.description, p.description), cmp.Or(v.format, p.format), cmp.Or(v.pattern, p.pattern)
	if v.min == nil {
		v.min, v.above = p.min, p.above
	}
	if v.max == nil {
		v.max, v.below = p.max, p.below
	}
	v.items, v.entries = cmp.Or(v.items, p.items), cmp.Or(v.entries, p.entries)
	if v.enum == nil {
		v.enum = p.enum
	}
	if v.def == nil {
		v.def = p.def
	}
	if v.fixed == nil {
		v.fixed = p.fixed
	}
	if v.types == nil {
		v.types = p.types
	}
	if v.variants == nil {
		v.variants = p.variants
	}
	v.nullable, v.readOnly, v.writeOnly, v.unique = v.nullable || p.nullable, v.readOnly || p.readOnly, v.writeOnly || p.writeOnly, v.unique || p.unique
}

// addAlternatives takes over the only alternative that is not null, or keeps them all.
func (v *view) addAlternatives(alternatives []part, depth int) {
	var values []part
	for _, a := range alternatives {
		if s := schemaOf(a); s.nullable && len(s.types) == 0 && len(a.resolved().keys()) == 1 {
			v.nullable = true
			continue
		}
		values = append(values, a)
	}
	switch len(values) {
	case 0:
	case 1:
		v.add(viewAt(values[0], depth-1))
	default:
		v.variants = values
	}
}

// kindOf returns the kind of the values of a schema.
func kindOf(v view) string {
	switch {
	case v.variants != nil, len(v.types) > 1:
		return anyKind
	case len(v.types) == 1:
		return v.types[0]
	case len(v.members) > 0, v.entries.exists():
		return objectKind
	case v.items.exists():
		return arrayKind
	case len(v.enum) > 0:
		if _, isText := v.enum[0].(string); isText {
			return stringKind
		}
	}
	return anyKind
}

// flattened returns an object of JSON:API, which has its members in `attributes`, with these members beside the others.
func (v view) flattened() view {
	const inner = "attributes"
	attributes := v.member(inner)
	if attributes == nil || v.member("type") == nil {
		return v
	}
	of := viewOf(attributes.schema)
	if of.kind != objectKind || len(of.members) == 0 {
		return v
	}
	var out []member
	for _, m := range v.members {
		if m.name != inner {
			out = append(out, m)
		}
	}
	for _, m := range of.members {
		if v.member(m.name) == nil && !strings.Contains(m.name, ".") {
			out = append(out, member{inner + "." + m.name, m.name, m.schema, m.required && attributes.required})
		}
	}
	v.members = out
	return v
}

// constant returns the only value of a schema in CUE, or "".
func (v view) constant() string {
	switch {
	case v.fixed != nil:
		return literalOf(v.fixed)
	case len(v.enum) == 1 && v.enum[0] != nil:
		return literalOf(v.enum[0])
	}
	return ""
}
