package layout

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// compare returns an *Error if a formatted document has another meaning than before, or lacks
// a comment.
func compare(before *yaml.Node, lines []string, out string) error {
	after, err := decode([]string{out})
	if err != nil {
		return &Error{Line: 1, Summary: "this document cannot be formatted", Remedy: err.Error()}
	}
	if n := difference(before, after); n != nil {
		return &Error{Line: n.Line, Summary: "this value cannot be formatted without changing it", Remedy: "Write it in double quotes, with \\n for each line break."}
	}
	within, left := scalars(before, lines), out
	for i, line := range lines {
		comment := commentOf(i, line, within)
		if comment == "" {
			continue
		}
		at := strings.Index(left, comment)
		if at < 0 && !strings.Contains(out, comment) {
			return &Error{Line: i + 1, Summary: "this comment would be lost", Remedy: "Move it to a line of its own, above the key that it is about."}
		}
		left = left[max(at, 0):]
	}
	return nil
}

// commentOf returns the comment in a line, or "".
func commentOf(number int, line string, within []extent) string {
	for i := range line {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') &&
			!slices.ContainsFunc(within, func(e extent) bool { return e.contains(number, i) }) {
			return strings.TrimRight(line[i:], " \t")
		}
	}
	return ""
}

// difference returns the first node of a document that has another value in another document,
// or nil.
func difference(x, y *yaml.Node) *yaml.Node {
	if x.Kind != y.Kind || x.ShortTag() != y.ShortTag() || x.Value != y.Value || x.Anchor != y.Anchor || len(x.Content) != len(y.Content) {
		return x
	}
	for i, child := range x.Content {
		if n := difference(child, y.Content[i]); n != nil {
			return n
		}
	}
	return nil
}
