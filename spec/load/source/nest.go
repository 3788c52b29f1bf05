package source

import (
	"strings"

	"github.com/declprov/declprov/spec/diag"
)

// NestEdits returns the edits by which a field `a.b: value` becomes `a: b: value`. In YAML, a
// value in lines of its own moves to the right.
func (d *Document) NestEdits(name, value diag.Range, outer, inner string) []diag.Edit {
	label := diag.Edit{At: name, Text: outer + ": " + inner}
	src := d.Files.byName[name.File]
	switch {
	case src == nil:
		return nil
	case !d.Raw:
		return []diag.Edit{label}
	case formatOf(name.File) == "json", value.Start.Line == name.Start.Line:
		// A value in braces, or a scalar.
		label.Text = outer
		if formatOf(name.File) == "json" {
			label.Text = `"` + outer + `"`
			inner = `"` + inner + `"`
		}
		from, to := value, value
		from.End, to.Start = from.Start, to.End
		return []diag.Edit{label, {At: from, Text: "{" + inner + ": "}, {At: to, Text: "}"}}
	}
	indent := strings.Repeat(" ", name.Start.Column-1)
	label.Text = outer + ":\n" + indent + "  " + inner
	edits := []diag.Edit{label}
	for line := value.Start.Line; line <= min(value.End.Line, len(src.lines)); line++ {
		if strings.TrimSpace(src.line(line-1)) != "" {
			at := diag.Position{Line: line, Column: 1}
			edits = append(edits, diag.Edit{At: diag.Range{File: name.File, Start: at, End: at}, Text: "  "})
		}
	}
	return edits
}
