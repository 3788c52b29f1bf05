package diag

import (
	"cmp"
	"fmt"
)

// Position is a place in a file: lines and columns count from 1, columns in
// Unicode code points. The zero Position is "nowhere".
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Compare orders positions as they stand in a file.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Range is a stretch of a file, from Start up to, but not including, End.
type Range struct {
	File  string   `json:"file,omitempty"`
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// IsZero reports whether the range is nowhere.
func (r Range) IsZero() bool { return r == Range{} }

// String is `file:line:column`, as editors and terminals link it.
func (r Range) String() string {
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// Point is the range of one position, for what has no text of its own.
func Point(file string, line, column int) Range {
	p := Position{Line: line, Column: column}
	return Range{File: file, Start: p, End: Position{Line: line, Column: column + 1}}
}
