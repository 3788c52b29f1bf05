// Package grant has the patterns of permissions: what each names, whether one covers
// what is asked for, and whether it includes another.
package grant

import (
	"fmt"
	"strings"
)

// Access is what a permission allows.
type Access uint8

// The accesses of LANGUAGE.md section 7. Writing implies reading and deleting.
const (
	Read Access = iota + 1
	Write
	Connect
	Run
	Environ
	Package
	Agent
)

// Rule is a permission that is in force: an access to what a pattern names.
type Rule struct {
	Access Access
	// Pattern is, of Read and Write, a glob, absolute or starting at the program's folder:
	// `**` is any number of folders (`d/**` includes d), `*`, `?` and `[…]` stay within a
	// name, `\` takes a character for itself (see QuoteGlob). Of Connect it is an origin,
	// of Run a program, of Environ a glob of names.
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
