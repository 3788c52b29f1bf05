package layout

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// extent is a part of a document: from a column of a line to a column of a line, from 0 and in
// bytes. The end is not part of it.
type extent struct{ line, column, endLine, endColumn int }

// contains reports whether a place is in the extent.
func (e extent) contains(line, column int) bool {
	after := line > e.line || line == e.line && column >= e.column
	return after && (line < e.endLine || line == e.endLine && column < e.endColumn)
}

// scalars returns the extents of the scalars that may contain what elsewhere is a comment, or
// empty lines: all but the plain ones of one line.
func scalars(doc *yaml.Node, lines []string) []extent {
	var found []extent
	var visit func(n *yaml.Node, parent int)
	visit = func(n *yaml.Node, parent int) {
		if n.Kind == yaml.ScalarNode {
			if e, ok := extentOf(n, parent, lines); ok {
				found = append(found, e)
			}
		}
		for i, child := range n.Content {
			column := n.Column
			if n.Kind == yaml.MappingNode {
				column = n.Content[i&^1].Column // that of the key
			}
			visit(child, column)
		}
	}
	visit(doc, 0)
	return found
}

// extentOf returns the extent of a scalar whose parent begins in a column, from 1.
func extentOf(n *yaml.Node, parent int, lines []string) (extent, bool) {
	line := n.Line - 1
	if line < 0 || line >= len(lines) { // a null without text
		return extent{}, false
	}
	begin := extent{line: line, column: byteOf(lines[line], n.Column-1)}
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return quoted(begin, lines), true
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && !strings.Contains(n.Value, "\n"):
		return extent{}, false
	}
	begin.endLine = line + 1
	for i := begin.endLine; i < len(lines); i++ {
		text := strings.TrimLeft(lines[i], " ")
		switch {
		case text != "" && len(lines[i])-len(text) < parent:
			return begin, true
		case text != "" || strings.HasSuffix(n.Value, "\n\n"): // |+ keeps the empty lines at its end
			begin.endLine = i + 1
		}
	}
	return begin, true
}

// quoted returns the extent of a scalar in quotes. A tag or an anchor may precede the quote.
func quoted(e extent, lines []string) extent {
	quote := byte(0)
	for e.endLine, e.endColumn = e.line, e.column; e.endLine < len(lines); e.endLine, e.endColumn = e.endLine+1, 0 {
		for line := lines[e.endLine]; e.endColumn < len(line); e.endColumn++ {
			c := line[e.endColumn]
			switch {
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote == '"' && c == '\\', quote == '\'' && c == quote && strings.HasPrefix(line[e.endColumn+1:], "'"):
				e.endColumn++
			case quote != 0 && c == quote:
				return e
			}
		}
	}
	return e
}

// byteOf returns the byte at which a column of a line begins, both from 0.
func byteOf(line string, column int) int {
	for i := range line {
		if column == 0 {
			return i
		}
		column--
	}
	return len(line)
}
