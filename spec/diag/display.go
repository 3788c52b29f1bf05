package diag

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/declprov/declprov/spec/screen"
)

// tabStop is the width of a tab in columns.
const tabStop = 4

// cells is a line of source as a terminal displays it: for each of its code points,
// the text to print and the column at which it begins.
type cells struct {
	drawn  []string
	starts []int // one more than drawn: the last is the width of the line
}

// layOut returns the cells for a line of source. Tabs become spaces up to the next
// tab stop. Characters that would affect the terminal (control characters, direction
// marks) become escape sequences, so that a hostile spec cannot change how its
// diagnostics look.
func layOut(line string) cells {
	c := cells{starts: []int{0}}
	at := 0
	for _, r := range line {
		text, cols := draw(r, at)
		at += cols
		c.drawn = append(c.drawn, text)
		c.starts = append(c.starts, at)
	}
	return c
}

func draw(r rune, at int) (text string, cols int) {
	switch {
	case r == '\t':
		cols = tabStop - at%tabStop
		return strings.Repeat(" ", cols), cols
	case screen.Steers(r):
		text = screen.Escape(r, 0)
		return text, len(text)
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return string(r), 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return string(r), 2
	default:
		return string(r), 1
	}
}

// start returns the column at which the code point at a column (from 1) begins. Code
// points past the end of the line take one column each.
func (c cells) start(column int) int {
	last := len(c.starts) - 1
	if i := column - 1; i <= last {
		return c.starts[max(i, 0)]
	}
	return c.starts[last] + column - 1 - last
}

// indent returns the column of the first character that is not blank.
func (c cells) indent() int {
	for i, text := range c.drawn {
		if strings.TrimSpace(text) != "" {
			return i + 1
		}
	}
	return len(c.drawn) + 1
}

// end returns the column after the last character that is not blank.
func (c cells) end() int {
	for i := len(c.drawn); i > 0; i-- {
		if strings.TrimSpace(c.drawn[i-1]) != "" {
			return i + 1
		}
	}
	return 1
}
