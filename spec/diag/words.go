package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Or returns names as a phrase: a, b or c.
func Or(names []string) string { return Join(names, "or") }

// And returns names as a phrase: a, b and c.
func And(names []string) string { return Join(names, "and") }

// Join returns names as a phrase: a, b WORD c.
func Join(names []string, word string) string {
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

// Count returns a number and a noun: "2 items".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// FirstSentence returns the first sentence of a documentation text.
func FirstSentence(doc string) string {
	if i := strings.Index(doc, ". "); i >= 0 {
		return doc[:i+1]
	}
	return strings.TrimSpace(doc)
}

// UpperFirst returns a text with its first letter in upper case.
func UpperFirst(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}
