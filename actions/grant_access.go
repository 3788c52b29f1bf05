package actions

import (
	"fmt"
	"strings"
)

// Access is what a grant allows.
type Access uint8

// The accesses of LANGUAGE.md section 7. Writing implies reading and deleting.
const (
	Read Access = iota + 1
	WriteTo
	Connect
	Run
	Environ
	Package
	Agent
)

// Rule is a grant that is in force: Read or WriteTo what a pattern names.
// WriteTo implies reading and deleting.
type Rule struct {
	Access Access
	// Pattern is a glob, absolute or starting at the program's folder: `**` is
	// any number of folders (`d/**` includes d), `*`, `?` and `[…]` stay
	// within a name, `\` takes a character for itself (see QuoteGlob).
	Pattern string
}

// QuoteAll lists patterns as a message shows them.
func QuoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = fmt.Sprintf("%q", t)
	}
	return strings.Join(quoted, ", ")
}
