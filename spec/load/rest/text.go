package rest

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// text returns a string at the place of the author's value that it comes from.
func text(s string, at diag.Range) *spec.Node {
	return &spec.Node{Kind: spec.StringNode, Text: s, Range: at}
}

// texts returns a list of texts.
func texts(of []string, at diag.Range) *spec.Node {
	n := &spec.Node{Kind: spec.ListNode, Range: at}
	for _, s := range of {
		n.Items = append(n.Items, text(s, at))
	}
	return n
}

// object returns a struct at a place of the author's.
func object(at diag.Range, fields ...spec.Field) *spec.Node {
	n := &spec.Node{Kind: spec.MapNode, Range: at}
	for _, f := range fields {
		if f.Value != nil {
			n.Fields = append(n.Fields, f)
		}
	}
	return n
}

// field returns a member whose name stands where its value does.
func field(name string, value *spec.Node) spec.Field {
	if value == nil {
		return spec.Field{Name: name}
	}
	return spec.Field{Name: name, NameRange: value.Range, Value: value}
}

// request returns a step that sends one request, with the members of the query that each has.
func request(x *options, arguments []spec.Field) *spec.Step {
	block := object(x.s.Range, append(arguments, listsOf(x, arguments), field("query", x.s.Query))...)
	return &spec.Step{Range: x.s.Range, Actions: []spec.Field{{Name: family, NameRange: x.s.Range, Value: block}}}
}

// within returns the body of a request, at a path of members that the option names.
func within(path []string, option, body *spec.Node) *spec.Node {
	for _, name := range slices.Backward(path) {
		body = object(option.Range, spec.Field{Name: name, NameRange: option.Range, Value: body})
	}
	return body
}
