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
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/template"
)

// dataReader reads the values of a document that are not types.
type dataReader struct{ *typing.Extractor }

// readNode keeps a value as it was written. Invalid parts are reported and become nodes
// of kind zero, which the compiler skips.
func (r *dataReader) readNode(it walk.Item, p source.Place) *spec.Node {
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
			n.Fields = append(n.Fields, r.readField(m, p))
		}
		return n
	case cue.ListKind:
		n := &spec.Node{Kind: spec.ListNode, Range: it.At}
		for i, m := range r.Items(it) {
			n.Items = append(n.Items, r.readNode(m, p.Item(i)))
		}
		return n
	default:
		return r.readScalar(it, p)
	}
}

// readField reads a member of a data struct.
func (r *dataReader) readField(m walk.Item, p source.Place) spec.Field {
	f := spec.Field{Name: m.Name, NameRange: m.NameAt}
	if m.Optional || m.Required {
		r.Report(source.CodeTypeAsValue, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is declared, but has no value", m.Name),
			"Only types (config, inputs, outputs) have optional fields. Write a value, or remove the field.")
		f.Value = &spec.Node{Range: m.At}
		return f
	}
	if f.Value = r.readDefinition(m, p.Member(m.Name)); f.Value == nil {
		f.Value = r.readNode(m, p.Member(m.Name))
	}
	return f
}

// readDefinition reads a reference to a definition where a value is expected: the argument
// `returns: #Pet` takes a type. It returns nil for other values. The compiler knows which
// arguments accept types.
func (r *dataReader) readDefinition(it walk.Item, p source.Place) *spec.Node {
	_, path := it.Value.ReferencePath()
	selectors := path.Selectors()
	if len(selectors) == 0 || !selectors[len(selectors)-1].IsDefinition() {
		return nil
	}
	// A definition that is a list type, or a struct with only optional fields, is also a
	// valid value, an empty one. Only `returns` means the type.
	if it.Name != "returns" && it.Value.Validate(cue.Concrete(true)) == nil {
		return nil
	}
	return &spec.Node{
		Kind: spec.StringNode, Text: selectors[len(selectors)-1].String(), Range: it.At,
		Type: r.Type(it, typing.Site{Place: p, Role: typing.ResultRole}),
	}
}

// readScalar reads a scalar.
func (r *dataReader) readScalar(it walk.Item, p source.Place) *spec.Node {
	n := &spec.Node{Range: it.At}
	if !it.Value.IsConcrete() {
		r.Report(source.CodeTypeAsValue, it.At, p, "expected a value, got a type",
			"Types are only allowed in config, inputs and outputs. Write a value of run time as a string: \"${inputs.name}\".")
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
		d := r.Report(source.CodeBytesValue, it.At, p, "a spec cannot contain bytes", `Write a string in double quotes, or base64 with "${base64decode('…')}".`)
		if text := r.Files.TextAt(it.At); len(text) > 1 && text[0] == '\'' && !strings.ContainsAny(text, "\"\\") {
			d.Suggest(diag.Edit{At: it.At, Text: `"` + text[1:len(text)-1] + `"`})
		}
	default:
		literal, err := it.Value.MarshalJSON()
		if err != nil {
			r.Report(source.CodeTypeAsValue, it.At, p, "expected a value", "This is a function of CUE's library without its arguments, or an infinite number.")
			return n
		}
		n.Kind, n.Text = spec.NumberNode, string(literal)
	}
	return n
}

// readString reads a value that must be a string without a template.
func (r *dataReader) readString(it walk.Item, p source.Place) (string, bool) {
	n := r.readNode(it, p)
	switch {
	case n.Kind == spec.StringNode:
		return n.Text, true
	case n.Kind != 0:
		r.WrongShape(it, p, walk.Text)
	}
	return "", false
}

// readTemplate reads a value that must be a string, and may contain `${}`.
func (r *dataReader) readTemplate(it walk.Item, p source.Place) *spec.Node {
	n := r.readNode(it, p)
	if n.Kind != 0 && n.Kind != spec.StringNode && !isLiteralForm(n) {
		r.WrongShape(it, p, walk.Text)
		n.Kind = 0
	}
	return n
}

// isLiteralForm reports whether n has the form `{literal: "…"}`, whose string is not
// parsed as a template.
func isLiteralForm(n *spec.Node) bool {
	return n.Kind == spec.MapNode && len(n.Fields) == 1 && n.Fields[0].Name == "literal"
}

// readBool reads a value that must be a boolean.
func (r *dataReader) readBool(it walk.Item, p source.Place) bool {
	n := r.readNode(it, p)
	if n.Kind != 0 && n.Kind != spec.BoolNode {
		r.WrongShape(it, p, walk.Boolean)
	}
	return n.Kind == spec.BoolNode && n.Text == "true"
}

// readList reads a value that must be a list, and calls keep for each item.
func (r *dataReader) readList(it walk.Item, p source.Place, keep func(walk.Item, source.Place)) bool {
	if !r.expect(it, p, cue.ListKind, walk.List) {
		return false
	}
	for i, m := range r.Items(it) {
		keep(m, p.Item(i))
	}
	return true
}

// expect reports whether a value is of a kind, and reports it if it is of another one.
func (r *dataReader) expect(it walk.Item, p source.Place, kind cue.Kind, want walk.Shape) bool {
	if r.Broken(it, p) {
		return false
	}
	if r.Kind(it) != kind {
		r.WrongShape(it, p, want)
		return false
	}
	return true
}

// readStrings reads a value that must be a list of strings.
func (r *dataReader) readStrings(it walk.Item, p source.Place) []string {
	var list []string
	r.readList(it, p, func(m walk.Item, p source.Place) {
		if s, ok := r.readString(m, p); ok {
			list = append(list, s)
		}
	})
	return list
}

// readDuration reads a duration in Go's syntax, or a template.
func (r *dataReader) readDuration(it walk.Item, p source.Place) *spec.Node {
	n := r.readNode(it, p)
	switch {
	case n.Kind == 0 || hasTemplate(n):
	case n.Kind != spec.StringNode:
		d := r.Report(source.CodeBadValue, it.At, p, "a duration must be a string", `Write a number and its unit: "90s", "5m", "1h30m".`)
		if t, ok := foreign.Duration(n.Text); ok && n.Kind == spec.NumberNode {
			d.Suggest(diag.Edit{At: it.At, Text: strconv.Quote(t)})
		}
		n.Kind = 0
	default:
		d, err := time.ParseDuration(n.Text)
		if err != nil || d < 0 {
			d := r.Report(source.CodeBadValue, it.At, p, fmt.Sprintf("invalid duration %q", n.Text), `Write a number and its unit: "90s", "5m", "1h30m".`)
			if t, ok := foreign.Duration(n.Text); ok {
				d.Replace(n.Text, t)
			}
			n.Kind = 0
		}
	}
	return n
}

// hasTemplate reports whether the string contains an expression, so that its value is
// not known before it runs.
func hasTemplate(n *spec.Node) bool {
	return n.Kind == spec.StringNode && template.IsTemplate(n.Text)
}

// readTemplates reads a list of templates as one node.
func (r *dataReader) readTemplates(it walk.Item, p source.Place) *spec.Node {
	n := &spec.Node{Kind: spec.ListNode, Range: it.At}
	if !r.readList(it, p, func(m walk.Item, at source.Place) { n.Items = append(n.Items, r.readTemplate(m, at)) }) {
		n.Kind = 0
	}
	return n
}

// readFailures reads the list of statuses and error classes that are retried.
func (r *dataReader) readFailures(it walk.Item, p source.Place) *spec.Node {
	if !r.expect(it, p, cue.ListKind, walk.List.As(`a list such as [503, "connection"]`)) {
		return nil
	}
	n := r.readNode(it, p)
	for i, m := range n.Items {
		switch {
		case m.Kind == spec.StringNode && !slices.Contains(block.FailureClasses, m.Text) && !hasTemplate(m):
			r.reportFailure(m, p.Item(i))
		case m.Kind != 0 && m.Kind != spec.StringNode && m.Kind != spec.NumberNode:
			r.Report(source.CodeWrongShape, m.Range, p.Item(i), `expected a status, "connection" or "timeout", got `+m.Kind.String(), `Write on: [503, "connection"].`)
		}
	}
	return n
}

// reportFailure reports a text that is neither a status nor an error class.
func (r *dataReader) reportFailure(n *spec.Node, p source.Place) {
	d := r.Report(source.CodeBadValue, n.Range, p, fmt.Sprintf("%q is not a status or an error class", n.Text), "")
	remedy, list, isClass := foreign.Statuses(n.Text)
	_, err := strconv.Atoi(n.Text)
	switch {
	case isClass:
		if d.Detail = remedy; list != "" {
			d.Suggest(diag.Edit{At: n.Range, Text: list})
		}
	case err == nil:
		d.Detail = "Write the number without quotes."
		d.Suggest(diag.Edit{At: n.Range, Text: n.Text})
	default:
		d.Meant(n.Text, block.FailureClasses)
	}
}

// readKinds reads a value of one of several kinds.
func (r *dataReader) readKinds(it walk.Item, p source.Place, want walk.Shape, kinds ...spec.NodeKind) *spec.Node {
	n := r.readNode(it, p)
	if n.Kind != 0 && !slices.Contains(kinds, n.Kind) {
		r.WrongShape(it, p, want)
		n.Kind = 0
	}
	return n
}

// readCount reads a whole number within the bounds of its key. As a node, it may also be
// a template.
func (r *dataReader) readCount(it walk.Item, p source.Place, key *block.Key) (n *spec.Node, value int) {
	n = r.readNode(it, p)
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
		d := r.Report(source.CodeBadValue, it.At, p, fmt.Sprintf("%s must be a whole number %s", key.Name, key.Whole.Range), key.Whole.Remedy)
		if n.Kind == spec.StringNode && err == nil {
			d.Suggest(diag.Edit{At: it.At, Text: n.Text})
		}
		n.Kind = 0
		return n, 0
	}
	return n, value
}
