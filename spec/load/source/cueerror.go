package source

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec/stable"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
)

// reportCUEError reports an error from CUE, once per place. fallback is the place of
// an error without a position.
func (d *Document) reportCUEError(e errors.Error, p Place, fallback diag.Range) {
	code, _, _ := explain(messageOf(e))
	d.reportCUEErrorAs(e, p, fallback, code)
}

// reportCUEErrorAs is like reportCUEError with a given code.
func (d *Document) reportCUEErrorAs(e errors.Error, p Place, fallback diag.Range, code string) {
	msg := messageOf(e)
	at, others := d.errorPlaces(e)
	if strings.HasPrefix(msg, "cannot embed") {
		if first := d.Syntax.firstEmbed(); first != nil {
			fallback = d.Files.RangeOf(first) // errors about all embeddings have no position
		}
	}
	if at.IsZero() {
		at = fallback
	}
	if !d.FirstTime(at.String()) {
		return
	}
	for _, o := range others {
		d.seen[o.String()] = true
	}
	if strings.HasPrefix(msg, "undefined field") && d.memberOfHole(at) {
		return
	}
	explained, summary, detail := explain(msg)
	if code == CodeSyntaxError && explained == CodeCueEvaluation {
		detail = syntaxRemedy
	}
	name := missingName(msg)
	meant := d.meantName(name)
	if meant != "" {
		detail = fmt.Sprintf("Did you mean %q? ", meant) + detail
	}
	if p.Path == "" {
		p = PlaceOf(e.Path())
	}
	for i, o := range others {
		if i == 0 {
			detail = strings.TrimSpace(detail + " See also")
		}
		detail += " " + o.String()
		if i == len(others)-1 {
			detail += "."
		}
	}
	t, translated := d.translate(e, code)
	if translated {
		at, summary, detail = cmp.Or(t.at, at), cmp.Or(t.summary, summary), t.remedy
	}
	reported := d.Report(code, at, p, summary, detail)
	switch {
	case translated:
		reported.Suggest(t.edits...)
	case meant != "":
		reported.Replace(name, meant)
	}
}

// meantName returns the name that an unresolved name misspells, or "".
func (d *Document) meantName(name string) string {
	if name == "" {
		return ""
	}
	return diag.DidYouMean(name, d.Syntax.names())
}

// missingName returns the name in CUE's message about an unresolved reference, or "".
func missingName(msg string) string {
	rest, ok := strings.CutPrefix(msg, "reference \"")
	name, _, closed := strings.Cut(rest, "\" not found")
	if !ok || !closed {
		return ""
	}
	return name
}

// messageOf returns the text of an error without the positions and the wrapping that
// CUE prints around it.
func messageOf(e errors.Error) string {
	format, args := e.Msg()
	msg := fmt.Sprintf(format, args...)
	inner := errors.Unwrap(e)
	if inner == nil {
		return msg
	}
	if wrapped, ok := inner.(errors.Error); ok {
		return messageOf(wrapped)
	}
	if msg == "" {
		return inner.Error()
	}
	return msg + ": " + inner.Error()
}

// errorPlaces returns the positions of an error in the author's files, the best
// first.
func (d *Document) errorPlaces(e errors.Error) (diag.Range, []diag.Range) {
	var places []diag.Range
	add := func(pos token.Pos) {
		if !pos.IsValid() || d.Files.byName[pos.Filename()] == nil {
			return
		}
		r := d.NodeAt(pos)
		for _, have := range places {
			if have == r {
				return
			}
		}
		places = append(places, r)
	}
	for _, pos := range errors.Positions(e) {
		add(pos)
	}
	stable.Sort(places, func(a, b diag.Range) int { return a.Start.Compare(b.Start) })
	if len(places) == 0 {
		return diag.Range{}, nil
	}
	return places[0], places[1:]
}

// ReportCUE reports the errors of one value. If all alternatives of a disjunction
// fail, CUE returns an error for each, which are reported as one mistake.
func (d *Document) ReportCUE(err error, p Place, at diag.Range) {
	all := errors.Errors(errors.Promote(err, ""))
	for _, e := range all {
		if !strings.Contains(messageOf(e), "empty disjunction") {
			continue
		}
		for _, e := range all {
			where, others := d.errorPlaces(e)
			for _, o := range append(others, where) {
				d.seen[o.String()] = true
			}
		}
		if !d.seen[at.String()] || len(all) > 1 {
			d.Report(CodeConflict, at, p, "no alternative of the disjunction matches", strings.TrimSuffix(messageOf(all[len(all)-1]), ":")+".")
		}
		d.seen[at.String()] = true
		return
	}
	for _, e := range all {
		d.reportCUEError(e, p, at)
	}
}

// NodeAt returns the range of the smallest expression that starts at a position.
func (d *Document) NodeAt(pos token.Pos) diag.Range {
	best := d.Files.Span(pos, token.NoPos)
	if d.Syntax == nil {
		return best
	}
	var found ast.Node
	for _, f := range d.Syntax.files {
		if f.Filename != pos.Filename() && !d.Raw {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			if at := n.Pos(); found != nil || !at.IsValid() || at.Filename() != pos.Filename() || at.Offset() != pos.Offset() {
				return found == nil
			}
			switch n := n.(type) {
			case *ast.LetClause:
				found = n.Ident
			case *ast.ImportSpec, *ast.Ident, *ast.BasicLit, *ast.UnaryExpr, *ast.Interpolation, *ast.CallExpr, *ast.SelectorExpr, *ast.Attribute:
				found = n
			}
			return true
		}, nil)
	}
	if found == nil {
		return best
	}
	return d.Files.RangeOf(found)
}

// syntaxRemedy is the remedy for syntax errors without a specific remedy.
const syntaxRemedy = "Parsing stopped here; the mistake may be a little earlier."

// explain converts a message of CUE to a code, a summary and a remedy.
func explain(msg string) (code, summary, detail string) {
	msg = strings.TrimSuffix(strings.TrimSpace(msg), ".")
	switch {
	case strings.Contains(msg, "identifiers starting with '__' are reserved"):
		return CodeSyntaxError, msg, `Write the name in quotes, as in "__typename": ….`
	case strings.HasPrefix(msg, "reference ") && strings.HasSuffix(msg, "not found"):
		return CodeUnknownReference, msg, "CUE resolves names in the same block, the enclosing blocks, and the package. Write values of run time as a string: \"${inputs.name}\"."
	case strings.Contains(msg, "conflicting values"), strings.Contains(msg, "mismatched types"), strings.Contains(msg, "incompatible"), strings.Contains(msg, "invalid value"), strings.Contains(msg, "out of bound"):
		return CodeConflict, msg, "Correct or remove one of them."
	case strings.Contains(msg, "structural cycle"):
		return CodeRecursiveType, "the value contains itself", "Make the type a definition, and refer to it in an optional field or a list: #Node: {next?: #Node}."
	case strings.Contains(msg, "field not allowed"):
		return CodeFieldNotAllowed, msg, "The closed definition of this struct does not define it."
	case strings.Contains(msg, "imported and not used"):
		return CodeUnusedImport, msg, "Remove the import."
	case strings.Contains(msg, "unreferenced alias or let"):
		return CodeUnusedImport, msg, "Use it, or remove it."
	case strings.Contains(msg, "no package name"):
		return CodeImportFailed, msg, "A folder is loaded as one CUE package. Begin each of its files with the same `package NAME`, or pass the spec's file instead."
	case strings.Contains(msg, "cannot find package"), strings.Contains(msg, "cannot find module"), strings.Contains(msg, "import failed"), strings.Contains(msg, "package") && strings.Contains(msg, "not"):
		return CodeImportFailed, msg, "Only packages of the spec's own CUE module and of CUE's standard library can be imported. Nothing is downloaded."
	case strings.HasPrefix(msg, "cannot embed files when not in a module"):
		return CodeCueEvaluation, msg, "@embed requires a CUE module. Create cue.mod/module.cue in the folder of the spec or in a parent folder, and pass the folder instead of the file."
	case strings.HasPrefix(msg, "open "):
		return CodeCueEvaluation, msg, "@embed requires existing files within the folder of the spec. Paths are relative to that folder."
	case strings.Contains(msg, "invalid attribute"):
		return CodeSyntaxError, msg, "Attributes require parentheses: @secret()."
	case strings.HasPrefix(msg, "expected"), strings.Contains(msg, "missing ','"), strings.Contains(msg, "illegal"), strings.Contains(msg, "not terminated"), strings.Contains(msg, "found "):
		return CodeSyntaxError, msg, syntaxRemedy
	default:
		return CodeCueEvaluation, msg, "This message comes from CUE; `cue vet -c=false` prints the same."
	}
}

// ReportLeftovers reports the errors of evaluation that the walk did not visit: those
// in hidden fields and definitions.
func (d *Document) ReportLeftovers(v cue.Value) {
	for _, e := range errors.Errors(v.Validate()) {
		if !strings.Contains(messageOf(e), "empty disjunction") {
			d.reportCUEError(e, Place{}, d.Start())
		}
	}
}
