package openapi

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// objectOf returns the view of the schema of an object. Alternatives (`oneOf`) are one object with the members of all: a resource has
// one list of properties. Lists among them, with which some APIs create many objects, are not the object.
func objectOf(p part) view {
	v := viewOf(p)
	if v.variants == nil {
		return v
	}
	var objects []view
	for _, each := range v.variants {
		if of := viewOf(each); of.kind == objectKind && len(of.members) > 0 {
			objects = append(objects, of)
		}
	}
	if len(objects) == 0 {
		return v
	}
	out := v
	out.variants, out.kind = nil, objectKind
	out.members, out.required = slices.Clone(v.members), nil
	for _, o := range objects {
		for _, m := range o.members {
			if v.member(m.name) == nil {
				out.addVariant(m, len(objects))
			}
		}
	}
	for i, m := range out.members {
		out.members[i].required = !slices.ContainsFunc(objects, func(o view) bool { return o.member(m.name) == nil || !o.member(m.name).required }) ||
			v.member(m.name) != nil && m.required
	}
	return out
}

// addVariant adds a member of an alternative, of which there are several. Members of the same name have the values of either.
func (v *view) addVariant(m member, alternatives int) {
	same := v.member(m.name)
	if same == nil {
		m.required = m.required && alternatives == 1
		v.members = append(v.members, m)
		return
	}
	a, b := same.schema.resolved(), m.schema.resolved()
	if a.node == b.node || a.file != b.file || !a.exists() || !b.exists() {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if joined := nodeAt(a.node, joinedKey); joined != nil {
		if slices.Contains(joined.Content, b.node) {
			return
		}
		list.Content = append(list.Content, joined.Content...)
	} else {
		list.Content = append(list.Content, a.node)
	}
	list.Content = append(list.Content, b.node)
	if viewOf(a).kind == viewOf(b).kind && !viewOf(a).isListOfTexts() {
		return // such as two strings of different lengths
	}
	key := func(name string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name} }
	same.schema = part{file: a.file, node: &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key("oneOf"), list, key(joinedKey), list}}}
}

// joinedKey marks the schemas that addVariant makes.
const joinedKey = "x-declprov-joined"
