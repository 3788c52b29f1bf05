package rest

import (
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// textBuilder builds a template from parts of an author's string and generated parts,
// such that every character has a position in the author's file.
type textBuilder struct {
	from  *spec.Node
	text  []rune
	marks []spec.Mark
}

// copyText appends the bytes [start, end) of the author's string.
func (b *textBuilder) copyText(start, end int) {
	offset := utf8.RuneCountInString(b.from.Text[:start])
	for _, r := range b.from.Text[start:end] {
		b.append(r, b.from.At(offset, offset+1).Start)
		offset++
	}
}

// generate appends generated text, which stands for the author's string at byte offset
// at.
func (b *textBuilder) generate(text string, at int) {
	offset := utf8.RuneCountInString(b.from.Text[:min(at, len(b.from.Text)-1)])
	for _, r := range text {
		b.append(r, b.from.At(offset, offset+1).Start)
	}
}

// append appends a character with its position. A mark is only required where the
// position is not the next column.
func (b *textBuilder) append(r rune, at diag.Position) {
	if n := len(b.marks); n > 0 {
		last := b.marks[n-1]
		next := diag.Position{Line: last.Pos.Line, Column: last.Pos.Column + len(b.text) - last.Offset}
		if next == at {
			b.text = append(b.text, r)
			return
		}
	}
	b.marks = append(b.marks, spec.Mark{Offset: len(b.text), Pos: at})
	b.text = append(b.text, r)
}

// node returns the template.
func (b *textBuilder) node() *spec.Node {
	n := &spec.Node{Kind: spec.StringNode, Text: string(b.text), Range: b.from.Range, Marks: b.marks}
	if len(b.from.Marks) == 0 {
		n.Marks = nil
	}
	return n
}

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
