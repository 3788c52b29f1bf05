// Package diag reports mistakes in a spec to its author: one diagnostic per mistake,
// with its position, a stable code and a remedy.
//
// Diagnostics are for mistakes of the author. Failures of the environment (a server
// that is down, a full disk) are errors, which name the step, the attempt and the
// remedy.
package diag

import (
	"cmp"
	"slices"

	"github.com/declprov/declprov/spec/stable"
)

// Severity is the severity of a diagnostic. The zero value is invalid, so that a
// missing severity is noticed.
type Severity int

// The severities. A spec with warnings is valid unless vet runs with --strict. Notes
// are not mistakes, and never make a spec invalid.
const (
	Error Severity = iota + 1
	Warning
	Note
)

// String returns the severity as the writers print it.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	default:
		return "invalid"
	}
}

// Diagnostic is one finding.
type Diagnostic struct {
	Severity Severity
	// Code is the kind of mistake, in kebab-case. It never changes once released, so
	// that tests, filters and web searches can rely on it.
	Code string
	// Summary says what is wrong, in one line without a full stop.
	Summary string
	// Detail says why, and what to do instead, in sentences. It may be empty.
	Detail string
	// Subject is the smallest range of text that is wrong.
	Subject Range
	// Context is the place for people: `resource "Pet", create, step 1`.
	Context string
	// Path is the path in the document: `resources.Pet.create.http.url`.
	Path string
	// Edits carry out the remedy, if replacing text can do that.
	Edits []Edit `json:",omitempty"`
	// Tentative is true if an error somewhere else in the spec may be the cause: see List.Certain.
	Tentative bool `json:"-"`
}

// List is the list of diagnostics of one run.
type List []Diagnostic

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Certain returns the diagnostics without the tentative ones if any is an error: what could not be compiled may use
// what seems to be unused, and when the error is corrected, the next run knows.
func (l List) Certain() List {
	if !l.HasErrors() {
		return l
	}
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool { return d.Tentative })
}

// Sorted returns the diagnostics sorted by file and position, without duplicates. The order is
// total, and so does not depend on the order in which they were reported; of duplicates, which
// differ in their context, the first in this order stays.
func (l List) Sorted() List {
	out := slices.Clone(l)
	stable.Sort(out, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Subject.File, b.Subject.File),
			a.Subject.Start.Compare(b.Subject.Start),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Summary, b.Summary),
			a.Subject.End.Compare(b.Subject.End),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Context, b.Context),
			cmp.Compare(a.Detail, b.Detail),
			cmp.Compare(a.Severity, b.Severity),
		)
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Subject == b.Subject && a.Code == b.Code && a.Summary == b.Summary
	})
}
