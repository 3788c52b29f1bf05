// Package diag is how declprov tells an author what is wrong with a spec: one
// diagnostic a mistake, at its own place, with a stable code and a remedy.
//
// A diagnostic is for the author's faults. The faults of the world (a server
// that is down, a full disk) are errors, and name step, attempt and remedy.
package diag

import (
	"cmp"
	"slices"
)

// Severity says how much a diagnostic weighs. The zero value is invalid, so
// that a forgotten severity shows.
type Severity int

// The severities. Warnings let a spec pass unless vet runs with --strict; notes
// are no mistakes, and always do.
const (
	Error Severity = iota + 1
	Warning
	Note
)

// String is the severity as the writers print it.
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
	// Code names the kind of mistake, in kebab-case; it never changes once
	// released, so that tests, filters and web searches can rely on it.
	Code string
	// Summary is one line without a full stop: what is wrong.
	Summary string
	// Detail says why and what to do, in sentences; it may be empty.
	Detail string
	// Subject is the text at fault, as tight as can be.
	Subject Range
	// Context says where that is in the author's words:
	// `resource "Pet", create, step 1`.
	Context string
	// Path is the place in the document: `resources.Pet.create.http.url`.
	Path string
}

// List is the findings of one run.
type List []Diagnostic

// HasErrors reports whether any finding is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the findings by file and position, each once.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Subject.File, b.Subject.File),
			a.Subject.Start.Compare(b.Subject.Start),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Summary, b.Summary),
		)
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Subject == b.Subject && a.Code == b.Code && a.Summary == b.Summary
	})
}
