package spec

import (
	"encoding/json"
	"slices"

	"github.com/declprov/declprov/spec/diag"
)

// NodeKind is the shape of a Node.
type NodeKind uint8

// The shapes: those of JSON. The zero value is invalid.
const (
	NullNode NodeKind = iota + 1
	BoolNode
	NumberNode
	StringNode
	ListNode
	MapNode
)

// String names the shape as an author would.
func (k NodeKind) String() string {
	switch k {
	case NullNode:
		return "null"
	case BoolNode:
		return "true or false"
	case NumberNode:
		return "a number"
	case StringNode:
		return "text"
	case ListNode:
		return "a list"
	case MapNode:
		return "a struct"
	default:
		return "nothing"
	}
}

// Node is a value of the document that the loader keeps as it was written: the
// arguments of an action, a template. Whoever knows what it should be (the
// compiler, from an action's declaration) types it later, and can still say
// where every character of it stands.
//
// A Node whose Kind is zero stands for a value that the loader reported as
// broken: it is passed over, so that one mistake is reported once.
//
// The tags of a Node and its parts are short because a compiled spec is mostly
// made of them.
type Node struct {
	Kind NodeKind `json:"k"`
	// Text is the decoded text of a string, or a scalar's literal.
	Text string `json:"t"`
	// Items are a list's.
	Items []*Node `json:"i"`
	// Fields are a map's, in the order of the document.
	Fields []Field `json:"f"`
	// Range is where the value stands.
	Range diag.Range `json:"r"`
	// Type is set, and Kind is StringNode, where a definition stands in a
	// value's place (`returns: #Pet`): it is the type, and Text its name.
	Type *Type `json:"type,omitempty"`
	// Marks say where the characters of Text stand, for a string; see At.
	Marks []Mark `json:"m"`
}

// Field is one named value of a map, a step or a block.
type Field struct {
	Name string `json:"n"`
	// NameRange is where the name stands.
	NameRange diag.Range `json:"r"`
	Value     *Node      `json:"v"`
}

// Mark says that from code point Offset of a string's text on, up to the next
// mark, characters stand side by side in the source, from Pos. Escapes and
// line ends begin a new mark.
type Mark struct {
	Offset int
	Pos    diag.Position
}

// Get is the value of a map's field, or nil.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	i := slices.IndexFunc(n.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return n.Fields[i].Value
}

// At is where the code points from up to to of a string's text stand in the
// source. Without marks it is the whole string.
func (n *Node) At(from, to int) diag.Range {
	if len(n.Marks) == 0 {
		return n.Range
	}
	end := n.position(from)
	if to > from {
		end = n.position(to - 1)
	}
	end.Column++
	return diag.Range{File: n.Range.File, Start: n.position(from), End: end}
}

func (n *Node) position(offset int) diag.Position {
	i, found := slices.BinarySearchFunc(n.Marks, offset, func(m Mark, o int) int { return m.Offset - o })
	if !found {
		i = max(i-1, 0)
	}
	m := n.Marks[i]
	return diag.Position{Line: m.Pos.Line, Column: m.Pos.Column + offset - m.Offset}
}

// Plain is the value in Go's terms: nil, bool, json.Number, string, []any or
// map[string]any. Templates in it stay text.
func (n *Node) Plain() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case BoolNode:
		return n.Text == "true"
	case NumberNode:
		return json.Number(n.Text)
	case StringNode:
		return n.Text
	case ListNode:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Plain()
		}
		return list
	case MapNode:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			m[f.Name] = f.Value.Plain()
		}
		return m
	default:
		return nil
	}
}

// Part is a piece of an evaluated template: text of the author's, or a value.
type Part struct {
	Text    string
	Literal bool
}
