// Package grant implements the patterns of permissions: what a pattern names, whether it
// covers a request, and whether it includes another pattern.
package grant

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec/lists"
)

// Access is the kind of access that a permission grants.
type Access uint8

// The kinds of access. Write includes reading and deleting.
const (
	Read Access = iota + 1
	Write
	Connect
	Run
	Environ
	Package
	Agent
)

// Rule is an evaluated permission: an access to what a pattern names.
type Rule struct {
	Access Access
	// Pattern is an origin for Connect, a program for Run, a glob of names for Environ.
	// For Read and Write it is a glob, absolute or relative to the program's folder: `**`
	// matches any number of folders (`d/**` includes d); `*`, `?` and `[…]` match within a
	// name; `\` quotes a character (see QuoteGlob).
	Pattern string
}

// QuoteAll returns the patterns, quoted and separated by commas, for a message.
func QuoteAll(texts []string) string {
	quoted := lists.Map(texts, func(t string) string { return fmt.Sprintf("%q", t) })
	return strings.Join(quoted, ", ")
}
