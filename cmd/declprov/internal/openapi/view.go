package openapi

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	// name is the name of the component, or "", and about its description.
	name     string
	about    string
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

// takes reports whether a body has a member that the program may set.
func (v view) takes(name string) bool {
	m := v.member(name)
	return m != nil && sent.has(viewOf(m.schema))
}

// viewKey is what a view depends on.
type viewKey struct {
	node      *yaml.Node
	component string
}

// viewOf returns the view of a schema. The view of none is a value of any kind. Views are kept: large documents use a schema in thousands
// of places.
func viewOf(p part) view {
	if p.node == nil {
		return view{}
	}
	key := viewKey{p.node, p.component}
	v, ok := p.file.doc.views[key]
	if !ok {
		v = viewAt(p, maxDepth)
		v.members, v.required, v.variants = slices.Clip(v.members), slices.Clip(v.required), slices.Clip(v.variants)
		p.file.doc.views[key] = v
	}
	return v
}

func viewAt(p part, depth int) view {
	if own := p.beside(); own.exists() && depth > 0 {
		// In version 3.1, what is next to a reference holds, too. In documents of older versions, authors mean the same.
		v := viewAt(own, depth-1)
		v.add(viewAt(p.resolved(), depth-1))
		v.kind = kindOf(v)
		return v
	}
	p = p.resolved()
	if !p.exists() || depth == 0 {
		return view{}
	}
	v := view{schema: schemaOf(p), name: p.component}
	if v.name != "" {
		v.about = v.description
	}
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
		switch same := v.member(m.name); {
		case same == nil:
			v.members = append(v.members, m)
		case !schemaOf(same.schema).listsValues() && schemaOf(m.schema).listsValues():
			same.schema = m.schema // the kind of an object is any string in what all kinds have in common
		}
	}
	v.require(p.required)
	v.name, v.kind, v.about = cmp.Or(v.name, p.name), cmp.Or(v.kind, p.kind), cmp.Or(v.about, p.about)
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
	v.nullable, v.readOnly, v.writeOnly = v.nullable || p.nullable, v.readOnly || p.readOnly, v.writeOnly || p.writeOnly
	v.unique, v.deprecated = v.unique || p.unique, v.deprecated || p.deprecated
}

// addAlternatives takes over the only alternative that is not null, joins lists of values to one list, or keeps all alternatives.
func (v *view) addAlternatives(alternatives []part, depth int) {
	var values []part
	var enum []any
	onlyTexts := true
	for _, a := range alternatives {
		of := viewAt(a, depth-1)
		if of.isNull() {
			v.nullable = true
			continue
		}
		values = append(values, a)
		onlyTexts = onlyTexts && of.isListOfTexts()
		enum = append(enum, of.values()...)
		v.nullable = v.nullable || of.nullable && onlyTexts
	}
	switch {
	case len(values) == 0:
	case len(values) == 1:
		v.add(viewAt(values[0], depth-1))
	case onlyTexts:
		v.add(view{schema: schema{enum: enum}, kind: stringKind})
	default:
		v.variants = values
	}
}

// isNull reports whether null is the only value.
func (v view) isNull() bool {
	if len(v.enum) > 0 {
		return !slices.ContainsFunc(v.enum, func(e any) bool { return e != nil })
	}
	return v.nullable && v.kind == anyKind && v.variants == nil && v.fixed == nil
}

// values returns the values that a schema lists.
func (v view) values() []any {
	if v.fixed != nil {
		return []any{v.fixed}
	}
	return v.enum
}

// isListOfTexts reports whether a schema lists its values, which are strings.
func (v view) isListOfTexts() bool {
	return len(v.values()) > 0 && !slices.ContainsFunc(v.values(), func(e any) bool {
		_, ok := e.(string)
		return !ok && e != nil
	})
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
