package spec

import "github.com/declprov/declprov/spec/diag"

// Splice builds a template from parts of the author's strings and generated text, such
// that every character has a position in the author's file. File is the file of these
// positions; text from other files stands at the position of the previous character.
type Splice struct {
	File  string
	text  []rune
	marks []Mark
	last  diag.Position
}

// Copy appends the code points [from, to) of a string.
func (b *Splice) Copy(n *Node, from, to int) {
	for i, r := range []rune(n.Text)[from:to] {
		at := n.At(from+i, from+i+1).Start
		if n.Range.File != b.File {
			at = b.last
		}
		b.add(r, at)
	}
}

// Generate appends generated text, which stands for what is at a position.
func (b *Splice) Generate(text string, at diag.Range) {
	position := at.Start
	if at.File != b.File {
		position = b.last
	}
	for _, r := range text {
		b.add(r, position)
	}
}

// add appends a character with its position. A mark is only required where the position
// is not the next column.
func (b *Splice) add(r rune, at diag.Position) {
	next := diag.Position{}
	if n := len(b.marks); n > 0 {
		last := b.marks[n-1]
		next = diag.Position{Line: last.Pos.Line, Column: last.Pos.Column + len(b.text) - last.Offset}
	}
	if next != at {
		b.marks = append(b.marks, Mark{Offset: len(b.text), Pos: at})
	}
	b.text, b.last = append(b.text, r), at
}

// Node returns the template, as the value of a node that it replaces.
func (b *Splice) Node(replaced *Node) *Node {
	n := *replaced
	n.Text, n.Marks = string(b.text), b.marks
	return &n
}
