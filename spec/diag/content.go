package diag

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// byteOrderMark is not a part of the first line of a file: positions do not count it.
const byteOrderMark = "\ufeff"

// content is the content of a file with the offsets at which its lines begin, so that the cost of a
// position does not depend on the length of the file.
type content struct {
	text  []byte
	lines []int
}

func newContent(text []byte) *content {
	at := 0
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		at = len(byteOrderMark)
	}
	c := &content{text: text, lines: []int{at}}
	for {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			return c
		}
		at += next + 1
		c.lines = append(c.lines, at)
	}
}

// offsets returns the byte offsets of a range.
func (c *content) offsets(at Range) (from, to int, ok bool) {
	from, ok1 := c.offset(at.Start)
	to, ok2 := c.offset(at.End)
	return from, to, ok1 && ok2 && from <= to
}

func (c *content) offset(p Position) (int, bool) {
	if p.Line < 1 || p.Column < 1 || p.Line > len(c.lines) {
		return 0, false
	}
	at := c.lines[p.Line-1]
	for column := 1; column < p.Column; column++ {
		if at >= len(c.text) || c.text[at] == '\n' {
			return 0, false
		}
		_, size := utf8.DecodeRune(c.text[at:])
		at += size
	}
	return at, true
}

// position returns the position of a byte offset.
func (c *content) position(offset int) Position {
	line := max(1, sort.SearchInts(c.lines, offset+1))
	return Position{Line: line, Column: utf8.RuneCount(c.text[min(c.lines[line-1], offset):offset]) + 1}
}
