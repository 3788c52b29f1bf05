package load

import (
	"fmt"
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec"
)

// node keeps a value as it was written. What is broken in it is reported and
// becomes a node of kind zero, which the compiler passes over.
func (l *loader) node(it item, p place) *spec.Node {
	if l.broken(it, p) {
		return &spec.Node{Range: it.at}
	}
	if def, ok := it.value.Default(); ok && !it.value.IsConcrete() {
		it.value = def
	}
	switch l.kind(it) {
	case cue.StructKind:
		n := &spec.Node{Kind: spec.MapNode, Range: it.at}
		l.unusedHelpers(it, p)
		for _, m := range l.values(it) {
			n.Fields = append(n.Fields, l.dataField(m, p))
		}
		return n
	case cue.ListKind:
		n := &spec.Node{Kind: spec.ListNode, Range: it.at}
		for i, m := range l.items(it) {
			n.Items = append(n.Items, l.node(m, p.item(i)))
		}
		return n
	default:
		return l.scalar(it, p)
	}
}

// dataField is a member of a struct of data.
func (l *loader) dataField(m item, p place) spec.Field {
	f := spec.Field{Name: m.name, NameRange: m.nameAt}
	if m.optional || m.required {
		l.report(typeAsValue, m.nameAt, p.at(m.name), fmt.Sprintf("%s is declared, and not given", m.name),
			"Only types (config, inputs, outputs) have optional fields. Write the value, or leave the field out.")
		f.Value = &spec.Node{Range: m.at}
		return f
	}
	if f.Value = l.definition(m, p.at(m.name)); f.Value == nil {
		f.Value = l.node(m, p.at(m.name))
	}
	return f
}

// definition is a definition that stands in a value's place and is no value: the
// type of an argument that takes one (`returns: #Pet`). nil is anything else; the
// compiler knows which arguments take types.
func (l *loader) definition(it item, p place) *spec.Node {
	_, path := it.value.ReferencePath()
	selectors := path.Selectors()
	if len(selectors) == 0 || !selectors[len(selectors)-1].IsDefinition() {
		return nil
	}
	// A list, and a struct of optional fields, is also a value: an empty one.
	if it.name != "returns" && it.value.Validate(cue.Concrete(true)) == nil {
		return nil
	}
	return &spec.Node{
		Kind: spec.StringNode, Text: selectors[len(selectors)-1].String(), Range: it.at,
		Type: l.typ(it, site{place: p, role: resultRole}),
	}
}

// scalar is a value without parts.
func (l *loader) scalar(it item, p place) *spec.Node {
	n := &spec.Node{Range: it.at}
	if !it.value.IsConcrete() {
		l.report(typeAsValue, it.at, p, "a value is needed here, not a type",
			"Types stand in config, inputs and outputs. A value of run time is written as text: \"${inputs.name}\".")
		return n
	}
	switch it.value.Kind() {
	case cue.NullKind:
		n.Kind, n.Text = spec.NullNode, "null"
	case cue.BoolKind:
		b, _ := it.value.Bool()
		n.Kind, n.Text = spec.BoolNode, strconv.FormatBool(b)
	case cue.StringKind:
		return l.stringValue(it)
	case cue.BytesKind:
		l.report(bytesValue, it.at, p, "bytes have no place in a spec", `Write text in double quotes, or base64 with "${base64decode('…')}".`)
	default:
		literal, err := it.value.MarshalJSON()
		if err != nil {
			l.report(typeAsValue, it.at, p, "this is no value", "A function of CUE's library stands here without its arguments, or a number that has no end.")
			return n
		}
		n.Kind, n.Text = spec.NumberNode, string(literal)
	}
	return n
}

// stringValue is a string; where it stands in the source as a literal, with the place
// of each character.
func (l *loader) stringValue(it item) *spec.Node {
	s, _ := it.value.String()
	if lit := l.literalOf(it.value, it.expr, s, 0); lit != nil {
		return lit
	}
	return &spec.Node{Kind: spec.StringNode, Text: s, Range: it.at}
}

// literalOf is the literal that gives a string: what is written, or what a
// reference leads to.
func (l *loader) literalOf(v cue.Value, e ast.Expr, s string, depth int) *spec.Node {
	if depth > 10 {
		return nil
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if n, ok := l.files.stringNode(e); ok && n.Text == s {
			return n
		}
	case *ast.ParenExpr:
		return l.literalOf(v, e.X, s, depth+1)
	case *ast.UnaryExpr:
		return l.literalOf(v, e.X, s, depth+1)
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{e.X, e.Y} {
			if n := l.literalOf(v, x, s, depth+1); n != nil {
				return n
			}
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		next := cue.Dereference(v)
		switch src := next.Source().(type) {
		case *ast.Field:
			if src.Value != e {
				return l.literalOf(next, src.Value, s, depth+1)
			}
		case *ast.LetClause:
			if src.Expr != e {
				return l.literalOf(next, src.Expr, s, depth+1)
			}
		case ast.Expr:
			if src != e {
				return l.literalOf(next, src, s, depth+1)
			}
		}
	}
	return nil
}

// string is a value that must be text known at load.
func (l *loader) string(it item, p place) (string, bool) {
	n := l.node(it, p)
	switch {
	case n.Kind == spec.StringNode:
		return n.Text, true
	case n.Kind != 0:
		l.wrongShape(it, p, "text")
	}
	return "", false
}

// template is a value that must be text, which may hold `${}`.
func (l *loader) template(it item, p place) *spec.Node {
	n := l.node(it, p)
	if n.Kind != 0 && n.Kind != spec.StringNode && !literalForm(n) {
		l.wrongShape(it, p, "text")
		n.Kind = 0
	}
	return n
}

// literalForm tells `{literal: "…"}`, the form of text that is never parsed.
func literalForm(n *spec.Node) bool {
	return n.Kind == spec.MapNode && len(n.Fields) == 1 && n.Fields[0].Name == "literal"
}

// condition is a value that must be true, false or a template.
func (l *loader) condition(it item, p place) *spec.Node {
	n := l.node(it, p)
	if n.Kind != 0 && n.Kind != spec.StringNode && n.Kind != spec.BoolNode {
		l.wrongShape(it, p, "true, false or an expression")
		n.Kind = 0
	}
	return n
}

// bool is a value that must be true or false, known at load.
func (l *loader) bool(it item, p place) bool {
	n := l.node(it, p)
	if n.Kind != 0 && n.Kind != spec.BoolNode {
		l.wrongShape(it, p, "true or false")
	}
	return n.Kind == spec.BoolNode && n.Text == "true"
}

// list is a value that must be a list; each of its items goes to keep.
func (l *loader) list(it item, p place, keep func(item, place)) bool {
	if l.broken(it, p) {
		return false
	}
	if l.kind(it) != cue.ListKind {
		l.wrongShape(it, p, "a list")
		return false
	}
	for i, m := range l.items(it) {
		keep(m, p.item(i))
	}
	return true
}

// strings is a value that must be a list of text.
func (l *loader) strings(it item, p place) []string {
	var list []string
	l.list(it, p, func(m item, p place) {
		if s, ok := l.string(m, p); ok {
			list = append(list, s)
		}
	})
	return list
}

// templates is a value that must be a list of templates.
func (l *loader) templates(it item, p place) []*spec.Node {
	var list []*spec.Node
	l.list(it, p, func(m item, p place) { list = append(list, l.template(m, p)) })
	return list
}
