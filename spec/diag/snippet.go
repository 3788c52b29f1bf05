package diag

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// gutterWidth is the minimum width of the column of line numbers. They end one
	// column before the end of the arrow.
	gutterWidth = 5
	// snippetLines is the maximum number of lines of a subject that are shown. Of a
	// longer subject, the middle is omitted.
	snippetLines = 4
	// snippetWidth is the maximum number of columns of a line that are shown.
	snippetWidth = 120
	// leadIn is the number of columns before the subject that remain visible if a
	// line is cropped.
	leadIn = 40
)

// snippet writes the lines of a subject, with a caret under each of its columns.
func (t *text) snippet(at Range, hue string) {
	first, last := at.Start.Line, at.End.Line
	if at.End.Column <= 1 && last > first {
		last-- // the range ends at the end of the previous line
	}
	last = max(first, last)
	gutter := max(gutterWidth, len(strconv.Itoa(last)))
	for n := first; n <= last; n++ {
		if last-first >= snippetLines && n == first+snippetLines-2 {
			t.WriteString(t.paint(blue, strings.Repeat(" ", gutter-3)+"...") + "\n")
			n = last
		}
		line, ok := t.Sources.line(at.File, n)
		if !ok {
			return
		}
		t.snippetLine(gutter, n, layOut(line), at, hue)
	}
}

// snippetLine writes one line and the carets below it.
func (t *text) snippetLine(gutter, n int, line cells, at Range, hue string) {
	from, to := line.indent(), line.end()
	if n == at.Start.Line {
		from = at.Start.Column
	}
	if n == at.End.Line {
		to = at.End.Column
	}
	left := line.start(from)
	carets := max(1, line.start(to)-left)
	if n != at.Start.Line && to <= from {
		carets = 0 // a blank line in the middle
	}
	shown, left, carets := cropLine(line, left, carets)
	bar := t.paint(blue, "|")
	fmt.Fprintf(t, "%s\n", strings.TrimRight(t.paint(blue, fmt.Sprintf("%*d", gutter, n))+" "+bar+" "+shown, " "))
	if carets > 0 {
		fmt.Fprintf(t, "%*s %s %s%s\n", gutter, "", bar, strings.Repeat(" ", left), t.paint(hue, strings.Repeat("^", carets)))
	}
}

// cropLine reduces a line that is too wide to the part around its subject, which begins
// at column left and is wide columns wide. It returns the text, and the new column
// and width of the subject.
func cropLine(line cells, left, wide int) (shown string, at, carets int) {
	total := line.starts[len(line.starts)-1]
	if total <= snippetWidth {
		return strings.Join(line.drawn, ""), left, wide
	}
	begin := 0
	if left+wide > snippetWidth {
		begin = max(0, left-leadIn)
	}
	var b strings.Builder
	offset, cut := 0, false
	for i, text := range line.drawn {
		switch start, end := line.starts[i], line.starts[i+1]; {
		case start < begin:
			offset, cut = end, true
		case end > begin+snippetWidth:
			return ellipsis(cut) + b.String() + "…", left - offset + len([]rune(ellipsis(cut))), min(wide, max(1, begin+snippetWidth-left))
		default:
			b.WriteString(text)
		}
	}
	return ellipsis(cut) + b.String(), left - offset + len([]rune(ellipsis(cut))), wide
}

func ellipsis(cut bool) string {
	if cut {
		return "…"
	}
	return ""
}
