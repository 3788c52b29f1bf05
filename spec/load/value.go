package load

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// dataReader reads the values of a document that are data, not types.
type dataReader struct{ *typing.Extractor }

// node keeps a value as it was written. What is broken in it is reported and
// becomes a node of kind zero, which the compiler passes over.
func (r *dataReader) node(it walk.Item, p source.Place) *spec.Node {
	if r.Broken(it, p) {
		return &spec.Node{Range: it.At}
	}
	if def, ok := it.Value.Default(); ok && !it.Value.IsConcrete() {
		it.Value = def
	}
	switch r.Kind(it) {
	case cue.StructKind:
		n := &spec.Node{Kind: spec.MapNode, Range: it.At}
		r.UnusedHelpers(it, p)
		for _, m := range r.Values(it) {
			n.Fields = append(n.Fields, r.dataField(m, p))
		}
		return n
	case cue.ListKind:
		n := &spec.Node{Kind: spec.ListNode, Range: it.At}
		for i, m := range r.Items(it) {
			n.Items = append(n.Items, r.node(m, p.Item(i)))
		}
		return n
	default:
		return r.scalar(it, p)
	}
}

// dataField reads a member of a struct of data.
func (r *dataReader) dataField(m walk.Item, p source.Place) spec.Field {
	f := spec.Field{Name: m.Name, NameRange: m.NameAt}
	if m.Optional || m.Required {
		r.Report(source.CodeTypeAsValue, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is declared, and not given", m.Name),
			"Only types (config, inputs, outputs) have optional fields. Write the value, or leave the field out.")
		f.Value = &spec.Node{Range: m.At}
		return f
	}
	if f.Value = r.definition(m, p.Member(m.Name)); f.Value == nil {
		f.Value = r.node(m, p.Member(m.Name))
	}
	return f
}

// definition reads a definition that stands in a value's place and is no value: the
// type of an argument that takes one (`returns: #Pet`). nil is anything else; the
// compiler knows which arguments take types.
func (r *dataReader) definition(it walk.Item, p source.Place) *spec.Node {
	_, path := it.Value.ReferencePath()
	selectors := path.Selectors()
	if len(selectors) == 0 || !selectors[len(selectors)-1].IsDefinition() {
		return nil
	}
	// A list, and a struct of optional fields, is also a value: an empty one.
	if it.Name != "returns" && it.Value.Validate(cue.Concrete(true)) == nil {
		return nil
	}
	return &spec.Node{
		Kind: spec.StringNode, Text: selectors[len(selectors)-1].String(), Range: it.At,
		Type: r.Type(it, typing.Site{Place: p, Role: typing.ResultRole}),
	}
}

// scalar reads a value without parts.
func (r *dataReader) scalar(it walk.Item, p source.Place) *spec.Node {
	n := &spec.Node{Range: it.At}
	if !it.Value.IsConcrete() {
		r.Report(source.CodeTypeAsValue, it.At, p, "a value is needed here, not a type",
			"Types stand in config, inputs and outputs. A value of run time is written as text: \"${inputs.name}\".")
		return n
	}
	switch it.Value.Kind() {
	case cue.NullKind:
		n.Kind, n.Text = spec.NullNode, "null"
	case cue.BoolKind:
		b, _ := it.Value.Bool()
		n.Kind, n.Text = spec.BoolNode, strconv.FormatBool(b)
	case cue.StringKind:
		return r.StringValue(it)
	case cue.BytesKind:
		r.Report(source.CodeBytesValue, it.At, p, "bytes have no place in a spec", `Write text in double quotes, or base64 with "${base64decode('…')}".`)
	default:
		literal, err := it.Value.MarshalJSON()
		if err != nil {
			r.Report(source.CodeTypeAsValue, it.At, p, "this is no value", "A function of CUE's library stands here without its arguments, or a number that has no end.")
			return n
		}
		n.Kind, n.Text = spec.NumberNode, string(literal)
	}
	return n
}

// string reads a value that must be text known at load.
func (r *dataReader) string(it walk.Item, p source.Place) (string, bool) {
	n := r.node(it, p)
	switch {
	case n.Kind == spec.StringNode:
		return n.Text, true
	case n.Kind != 0:
		r.WrongShape(it, p, "text")
	}
	return "", false
}

// template reads a value that must be text, which may hold `${}`.
func (r *dataReader) template(it walk.Item, p source.Place) *spec.Node {
	n := r.node(it, p)
	if n.Kind != 0 && n.Kind != spec.StringNode && !literalForm(n) {
		r.WrongShape(it, p, "text")
		n.Kind = 0
	}
	return n
}

// literalForm tells `{literal: "…"}`, the form of text that is never parsed.
func literalForm(n *spec.Node) bool {
	return n.Kind == spec.MapNode && len(n.Fields) == 1 && n.Fields[0].Name == "literal"
}

// bool reads a value that must be true or false, known at load.
func (r *dataReader) bool(it walk.Item, p source.Place) bool {
	n := r.node(it, p)
	if n.Kind != 0 && n.Kind != spec.BoolNode {
		r.WrongShape(it, p, "true or false")
	}
	return n.Kind == spec.BoolNode && n.Text == "true"
}

// list reads a value that must be a list; each of its items goes to keep.
func (r *dataReader) list(it walk.Item, p source.Place, keep func(walk.Item, source.Place)) bool {
	if r.Broken(it, p) {
		return false
	}
	if r.Kind(it) != cue.ListKind {
		r.WrongShape(it, p, "a list")
		return false
	}
	for i, m := range r.Items(it) {
		keep(m, p.Item(i))
	}
	return true
}

// strings reads a value that must be a list of text.
func (r *dataReader) strings(it walk.Item, p source.Place) []string {
	var list []string
	r.list(it, p, func(m walk.Item, p source.Place) {
		if s, ok := r.string(m, p); ok {
			list = append(list, s)
		}
	})
	return list
}

// duration reads a length of time as Go writes it, or a template.
func (r *dataReader) duration(it walk.Item, p source.Place) *spec.Node {
	n := r.node(it, p)
	switch {
	case n.Kind == 0 || hasTemplate(n):
	case n.Kind != spec.StringNode:
		r.Report(source.CodeBadValue, it.At, p, "a length of time is text", `Write it with its unit: "90s", "5m", "1h30m".`)
		n.Kind = 0
	default:
		d, err := time.ParseDuration(n.Text)
		if err != nil || d < 0 {
			r.Report(source.CodeBadValue, it.At, p, fmt.Sprintf("%q is not a length of time", n.Text), `Write a number and its unit: "90s", "5m", "1h30m".`)
			n.Kind = 0
		}
	}
	return n
}

// hasTemplate reports whether text holds an expression, and so cannot be told
// before it runs.
func hasTemplate(n *spec.Node) bool {
	return n.Kind == spec.StringNode && strings.Contains(n.Text, "${")
}

// textList reads a list of templates, as one node.
func (r *dataReader) textList(it walk.Item, p source.Place) *spec.Node {
	n := &spec.Node{Kind: spec.ListNode, Range: it.At}
	if !r.list(it, p, func(m walk.Item, at source.Place) { n.Items = append(n.Items, r.template(m, at)) }) {
		n.Kind = 0
	}
	return n
}

// failures reads the list of statuses and of classes of error that are tried again.
func (r *dataReader) failures(it walk.Item, p source.Place) *spec.Node {
	if r.Broken(it, p) {
		return nil
	}
	if r.Kind(it) != cue.ListKind {
		r.WrongShape(it, p, `a list such as [503, "connection"]`)
		return nil
	}
	n := r.node(it, p)
	for i, m := range n.Items {
		switch {
		case m.Kind == spec.StringNode && !slices.Contains(block.FailureClasses, m.Text) && !hasTemplate(m):
			r.Report(source.CodeBadValue, m.Range, p.Item(i), fmt.Sprintf("%q is nothing to retry on", m.Text), diag.Remedy(m.Text, block.FailureClasses))
		case m.Kind != 0 && m.Kind != spec.StringNode && m.Kind != spec.NumberNode:
			r.Report(source.CodeWrongShape, m.Range, p.Item(i), `a status, "connection" or "timeout" is needed, not `+m.Kind.String(), `Write on: [503, "connection"].`)
		}
	}
	return n
}

// shaped reads a value of one of several shapes, as want says.
func (r *dataReader) shaped(it walk.Item, p source.Place, want string, kinds ...spec.NodeKind) *spec.Node {
	n := r.node(it, p)
	if n.Kind != 0 && !slices.Contains(kinds, n.Kind) {
		r.WrongShape(it, p, want)
		n.Kind = 0
	}
	return n
}

// count reads a whole number within the bounds of its key. As a node it may also be a
// template.
func (r *dataReader) count(it walk.Item, p source.Place, key *block.Key) (n *spec.Node, value int) {
	n = r.node(it, p)
	if n.Kind == 0 {
		return n, 0
	}
	value, err := strconv.Atoi(n.Text)
	if key.Whole.Most == 0 && errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	if n.Kind != spec.NumberNode || err != nil || value < key.Whole.Least || key.Whole.Most > 0 && value > key.Whole.Most {
		if key.Into == nil && hasTemplate(n) {
			return n, 0
		}
		r.Report(source.CodeBadValue, it.At, p, fmt.Sprintf("%s must be a whole number %s", key.Name, key.Whole.Range), key.Whole.Remedy)
		n.Kind = 0
		return n, 0
	}
	return n, value
}
