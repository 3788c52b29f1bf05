package source

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/jsonschema"
)

// ReportSchema reports a JSON Schema in the place of a type, as the value of a field whose name is
// at label. It returns false for other values.
func (d *Document) ReportSchema(label diag.Range, e ast.Expr, p Place) bool {
	s, ok := jsonschema.Of(e)
	if !ok {
		return false
	}
	at := d.Files.RangeOf(e)
	text, shown := s.CUE, at
	if at.Start.Line != at.End.Line {
		shown = d.Files.LabelRange(e.(*ast.StructLit).Elts[0].(*ast.Field).Label)
	}
	if d.Raw {
		text = foreign.YAMLString(text)
	}
	reported := d.Report(CodeJSONSchema, shown, p, "this is a schema, not a type of CUE", s.Remedy())
	reported.Suggest(diag.Edit{At: at, Text: text})
	if src := d.Files.byName[at.File]; src != nil && !d.Raw {
		for _, r := range foreign.MissingImports(text, src.content) {
			reported.Suggest(src.repair(0, r).edits...)
		}
	}
	if s.Optional {
		reported.Suggest(d.optionalEdit(label))
	}
	return true
}

// optionalEdit returns the edit that makes a field optional.
func (d *Document) optionalEdit(label diag.Range) diag.Edit {
	name := d.Files.TextAt(label)
	if strings.HasSuffix(name, `"`) && d.Raw || strings.HasSuffix(name, "'") {
		label.End.Column--
	}
	label.Start = label.End
	return diag.Edit{At: label, Text: "?"}
}
