package engine

import (
	"fmt"
	"strings"
)

// enumerate joins names for a sentence: a, b or c.
func enumerate(names []string) string { return joined(names, "or") }

// enumerateAnd joins names for a sentence: a, b and c.
func enumerateAnd(names []string) string { return joined(names, "and") }

func joined(names []string, word string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		last := len(names) - 1
		return fmt.Sprintf("%s %s %s", strings.Join(names[:last], ", "), word, names[last])
	}
}

// firstSentence is a documentation text up to its first full stop.
func firstSentence(doc string) string {
	if i := strings.Index(doc, ". "); i >= 0 {
		return doc[:i+1]
	}
	return strings.TrimSpace(doc)
}
