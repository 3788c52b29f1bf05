package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// libraryMember matches a member of a package of CUE that types are written with, and packageClause
// the clause after which imports stand.
var (
	libraryMember = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(list|math|net|strings|struct|time)\.[A-Z]\w*`) })
	packageClause = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^package [^\n]*\n`) })
)

// ParseImport translates a reference to a package of CUE that a document does not import. The offsets
// of the repair are those of the document.
func ParseImport(reference string, document []byte) (Repair, bool) {
	m := libraryMember().FindStringSubmatch(reference)
	if m == nil {
		return Repair{}, false
	}
	text, at := fmt.Sprintf("import %q\n\n", m[1]), 0
	if clause := packageClause().FindIndex(document); clause != nil {
		at, text = clause[1], "\n"+strings.TrimSuffix(text, "\n")
	}
	return Repair{
		Summary: fmt.Sprintf("%s is a package of CUE that this file does not import", m[1]),
		Remedy:  fmt.Sprintf("Add `import %q` at the beginning of the file.", m[1]),
		Parts:   []Part{{at, at, text}},
	}, true
}

// calls matches the functions of packages that types are written with.
var calls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:list|math|net|strings|struct|time)\.[A-Z]\w*\(`)
})

// MissingImports returns the repairs by which a document imports the packages that a type uses.
func MissingImports(cue string, document []byte) (repairs []Repair) {
	for _, call := range calls().FindAllString(cue, -1) {
		r, _ := ParseImport(call, document)
		name, _, _ := strings.Cut(call, ".")
		known := slices.ContainsFunc(repairs, func(o Repair) bool { return o.Summary == r.Summary })
		if !known && !regexp.MustCompile(`(?m)^\s*(?:import\s+)?"`+name+`"`).Match(document) {
			repairs = append(repairs, r)
		}
	}
	return repairs
}
