package foreign

import (
	"fmt"
	"regexp"
	"strings"
)

// libraryMember matches a member of a package of CUE that types are written with, and packageClause
// the clause after which imports stand.
var (
	libraryMember = regexp.MustCompile(`^(list|math|net|strings|struct|time)\.[A-Z]\w*`)
	packageClause = regexp.MustCompile(`(?m)^package [^\n]*\n`)
)

// ParseImport translates a reference to a package of CUE that a document does not import. The offsets
// of the repair are those of the document.
func ParseImport(reference string, document []byte) (Repair, bool) {
	m := libraryMember.FindStringSubmatch(reference)
	if m == nil {
		return Repair{}, false
	}
	text, at := fmt.Sprintf("import %q\n\n", m[1]), 0
	if clause := packageClause.FindIndex(document); clause != nil {
		at, text = clause[1], "\n"+strings.TrimSuffix(text, "\n")
	}
	return Repair{
		Summary: fmt.Sprintf("%s is a package of CUE that this file does not import", m[1]),
		Remedy:  fmt.Sprintf("Add `import %q` at the beginning of the file.", m[1]),
		Parts:   []Part{{at, at, text}},
	}, true
}
