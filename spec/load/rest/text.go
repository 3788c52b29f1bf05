package rest

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// text returns a string at the place of the author's value that it comes from.
func text(s string, at diag.Range) *spec.Node {
	return &spec.Node{Kind: spec.StringNode, Text: s, Range: at}
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

// request returns a step that sends one request.
func request(at diag.Range, arguments ...spec.Field) *spec.Step {
	return &spec.Step{Range: at, Actions: []spec.Field{{Name: family, NameRange: at, Value: object(at, arguments...)}}}
}
