package diag

import (
	"encoding/json"
	"io"
)

// finding is the JSON form of a diagnostic. It always has all members. An unknown
// position has line 0.
type finding struct {
	Code      string `json:"code"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	Detail    string `json:"detail"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Path      string `json:"path"`
	Edits     []edit `json:"edits"`
}

// edit is the JSON form of a suggested edit: the text from a position up to, but not
// including, the end is replaced.
type edit struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text"`
}

// WriteJSON writes diagnostics as a JSON array, which is `[]` if there are none. The
// end of a range is exclusive.
func WriteJSON(w io.Writer, list List) error {
	findings := make([]finding, len(list))
	for i, d := range list {
		findings[i] = finding{
			Code:      d.Code,
			Severity:  d.Severity.String(),
			Message:   d.Summary,
			Detail:    d.Detail,
			File:      d.Subject.File,
			Line:      d.Subject.Start.Line,
			Column:    d.Subject.Start.Column,
			EndLine:   d.Subject.End.Line,
			EndColumn: d.Subject.End.Column,
			Path:      d.Path,
			Edits:     editsOf(d),
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(findings)
}

func editsOf(d Diagnostic) []edit {
	edits := make([]edit, len(d.Edits))
	for i, e := range d.Edits {
		edits[i] = edit{
			File: e.At.File, Line: e.At.Start.Line, Column: e.At.Start.Column,
			EndLine: e.At.End.Line, EndColumn: e.At.End.Column, Text: e.Text,
		}
	}
	return edits
}
