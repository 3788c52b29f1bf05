package diag

import (
	"cmp"
	"fmt"
)

// Position is a position in a file. Lines and columns count from 1, columns in
// Unicode code points. The zero Position means that it is unknown.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Compare orders positions by line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Range is a range in a file, from Start up to, but not including, End.
type Range struct {
	File  string   `json:"file,omitempty"`
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// IsZero reports whether the range is unknown.
func (r Range) IsZero() bool { return r == Range{} }

// String returns `file:line:column`, which editors and terminals recognize as a link.
func (r Range) String() string {
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// Point returns the range of a single position, for diagnostics without a text.
func Point(file string, line, column int) Range {
	p := Position{Line: line, Column: column}
	return Range{File: file, Start: p, End: Position{Line: line, Column: column + 1}}
}
