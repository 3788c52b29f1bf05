package diag

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
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
	File       string
	Start, End Position
}

// IsZero reports whether the range is unknown.
func (r Range) IsZero() bool { return r == Range{} }

// Contains reports whether another range is within the range.
func (r Range) Contains(other Range) bool {
	return r.File == other.File && r.Start.Compare(other.Start) <= 0 && other.End.Compare(r.End) <= 0
}

// String returns `file:line:column`, which editors and terminals recognize as a link.
func (r Range) String() string {
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// MarshalText returns FILE:LINE:COLUMN:LINE:COLUMN, with the start before the end. A
// compiled spec consists mostly of ranges, and text is faster to read than an object.
func (r Range) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s:%d:%d:%d:%d", r.File, r.Start.Line, r.Start.Column, r.End.Line, r.End.Column), nil
}

// UnmarshalText reads the form that MarshalText returns.
func (r *Range) UnmarshalText(text []byte) error {
	rest := string(text)
	for _, n := range []*int{&r.End.Column, &r.End.Line, &r.Start.Column, &r.Start.Line} {
		colon := strings.LastIndexByte(rest, ':')
		value, err := strconv.Atoi(rest[colon+1:])
		if colon < 0 || err != nil {
			return fmt.Errorf("invalid range %q: expected FILE:LINE:COLUMN:LINE:COLUMN", text)
		}
		rest, *n = rest[:colon], value
	}
	r.File = rest
	return nil
}

// Point returns the range of a single position, for diagnostics without a text.
func Point(file string, line, column int) Range {
	p := Position{Line: line, Column: column}
	return Range{File: file, Start: p, End: Position{Line: line, Column: column + 1}}
}
