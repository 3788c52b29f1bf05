package diag

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// gutterWidth is the least number of columns that line numbers take: they
	// end below the end of the arrow.
	gutterWidth = 5
	// snippetLines is how many lines of a subject are shown before its middle
	// is left out.
	snippetLines = 4
	// snippetWidth is how many columns of a line are shown.
	snippetWidth = 120
	// leadIn is how many columns before the subject stay in sight where a line
	// is cut.
	leadIn = 40
)

// snippet shows the lines of a subject, with a caret under every column of it.
func (t *text) snippet(at Range, hue string) {
	first, last := at.Start.Line, at.End.Line
	if at.End.Column <= 1 && last > first {
		last-- // it ends with the line before
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

// snippetLine shows one line, and the carets below it.
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
	shown, left, carets := crop(line, left, carets)
	bar := t.paint(blue, "|")
	fmt.Fprintf(t, "%s\n", strings.TrimRight(t.paint(blue, fmt.Sprintf("%*d", gutter, n))+" "+bar+" "+shown, " "))
	if carets > 0 {
		fmt.Fprintf(t, "%*s %s %s%s\n", gutter, "", bar, strings.Repeat(" ", left), t.paint(hue, strings.Repeat("^", carets)))
	}
}

// crop cuts a line that is too wide to the part around its subject, which
// begins at left and is wide columns wide, and says where it is then.
func crop(line cells, left, wide int) (shown string, at, carets int) {
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
