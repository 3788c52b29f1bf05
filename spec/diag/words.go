package diag

import (
	"fmt"
	"strings"
)

// Or joins names for a sentence: a, b or c.
func Or(names []string) string { return Joined(names, "or") }

// And joins names for a sentence: a, b and c.
func And(names []string) string { return Joined(names, "and") }

// Joined joins names for a sentence: a, b WORD c.
func Joined(names []string, word string) string {
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

// FirstSentence is a documentation text up to its first full stop.
func FirstSentence(doc string) string {
	if i := strings.Index(doc, ". "); i >= 0 {
		return doc[:i+1]
	}
	return strings.TrimSpace(doc)
}
