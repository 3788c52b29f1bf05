package spec

import (
	"encoding/json"
	"slices"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
)

// NodeKind is the JSON kind of a Node.
type NodeKind uint8

// The kinds of nodes, which are those of JSON. The zero value marks a broken value.
const (
	NullNode NodeKind = iota + 1
	BoolNode
	NumberNode
	StringNode
	ListNode
	MapNode
)

// String returns the name of the kind for messages.
func (k NodeKind) String() string {
	switch k {
	case NullNode:
		return "null"
	case BoolNode:
		return "a boolean"
	case NumberNode:
		return "a number"
	case StringNode:
		return "a string"
	case ListNode:
		return "a list"
	case MapNode:
		return "a struct"
	default:
		return "nothing"
	}
}

// Node is a value of the document that the loader keeps as it was written, such as an
// argument of an action or a template. The compiler checks its type later, against
// the declaration of the action, and can still report the position of every
// character.
//
// A Node with the zero Kind stands for a value that the loader has already reported
// as broken. Readers skip it, so that one mistake is reported once.
//
// The JSON tags are short because a compiled spec consists mostly of nodes.
type Node struct {
	Kind NodeKind `json:"k,omitzero"`
	// Text is the decoded value of a string, or the literal of another scalar.
	Text string `json:"t,omitzero"`
	// Items are the items of a list.
	Items []*Node `json:"i,omitzero"`
	// Fields are the members of a map, in the order of the document.
	Fields []Field `json:"f,omitzero"`
	// Range is the position of the value.
	Range diag.Range `json:"r,omitzero"`
	// Type is set if the author wrote a definition as the value (`returns: #Pet`).
	// Kind is then StringNode, and Text is the definition's name.
	Type *Type `json:"type,omitzero"`
	// Marks give the positions of the characters of a string's Text; see At.
	Marks []Mark `json:"m,omitzero"`
	// Locals are the local names (`let`) that a name in a string's Text, which is none of them,
	// may mean.
	Locals []string `json:"l,omitzero"`
}

// Field is one named member of a map, a step or a block.
type Field struct {
	Name string `json:"n,omitzero"`
	// NameRange is the position of the name.
	NameRange diag.Range `json:"r,omitzero"`
	Value     *Node      `json:"v,omitzero"`
}

// Mark gives the position of the code point at Offset of a string's Text. The
// following code points, up to the next mark, stand on the same line of the source,
// one column each. An escape sequence or a line break starts a new mark.
type Mark struct {
	Offset int           `json:"o,omitzero"`
	Pos    diag.Position `json:"p,omitzero"`
}

// Get returns the value of a field of a map, or nil.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	return lists.Find(n.Fields, func(f Field) bool { return f.Name == name }).Value
}

// At returns the position in the source of the code points [from, to) of a string's
// Text. Without marks it is the position of the whole string.
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

// Plain returns the value as a plain Go value: nil, bool, json.Number, string, []any
// or map[string]any. Templates in it remain strings.
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

// Part is one piece of an evaluated template: literal text of the author's, or the
// text of an evaluated expression.
type Part struct {
	Text    string
	Literal bool
}
