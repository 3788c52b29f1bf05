package source

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
)

// reportCUEError reports an error of CUE's, once for each place; fallback is the
// place of an error that has none.
func (d *Document) reportCUEError(e errors.Error, p Place, fallback diag.Range) {
	code, _, _ := explain(message(e))
	d.reportCUEErrorAs(e, p, fallback, code)
}

// reportCUEErrorAs is reportCUEError with the code decided.
func (d *Document) reportCUEErrorAs(e errors.Error, p Place, fallback diag.Range, code string) {
	msg := message(e)
	at, others := d.errorPlaces(e)
	if strings.HasPrefix(msg, "cannot embed") {
		if first := d.Syntax.firstEmbed(); first != nil {
			fallback = d.Files.RangeOf(first) // of errors about all of them, which have no place
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
	if name := missingName(msg); name != "" {
		if near := diag.DidYouMean(name, d.Syntax.names()); near != "" {
			detail = fmt.Sprintf("Did you mean %q? ", near) + detail
		}
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
	d.Report(code, at, p, summary, detail)
}

// missingName returns the name in CUE's complaint about a reference, or "".
func missingName(msg string) string {
	rest, ok := strings.CutPrefix(msg, "reference \"")
	name, _, closed := strings.Cut(rest, "\" not found")
	if !ok || !closed {
		return ""
	}
	return name
}

// message returns what an error says itself, without the places and the wrapping
// that CUE prints around it.
func message(e errors.Error) string {
	format, args := e.Msg()
	msg := fmt.Sprintf(format, args...)
	inner := errors.Unwrap(e)
	if inner == nil {
		return msg
	}
	if wrapped, ok := inner.(errors.Error); ok {
		return message(wrapped)
	}
	if msg == "" {
		return inner.Error()
	}
	return msg + ": " + inner.Error()
}

// errorPlaces returns where an error is, the best first, in the author's files only.
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
	slices.SortStableFunc(places, func(a, b diag.Range) int { return a.Start.Compare(b.Start) })
	if len(places) == 0 {
		return diag.Range{}, nil
	}
	return places[0], places[1:]
}

// ReportCUE reports what CUE has against one value. Where that is a disjunction
// of which nothing is left, CUE gives an error for each alternative: they are
// one mistake.
func (d *Document) ReportCUE(err error, p Place, at diag.Range) {
	all := errors.Errors(errors.Promote(err, ""))
	for _, e := range all {
		if !strings.Contains(message(e), "empty disjunction") {
			continue
		}
		for _, e := range all {
			where, others := d.errorPlaces(e)
			for _, o := range append(others, where) {
				d.seen[o.String()] = true
			}
		}
		if !d.seen[at.String()] || len(all) > 1 {
			d.Report(CodeConflict, at, p, "none of the alternatives is possible here", strings.TrimSuffix(message(all[len(all)-1]), ":")+".")
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

// syntaxRemedy is said of what no parser can explain.
const syntaxRemedy = "The file is read up to here; the mistake may stand a little before."

// explain turns what CUE says into a code, a summary and a remedy.
func explain(msg string) (code, summary, detail string) {
	msg = strings.TrimSuffix(strings.TrimSpace(msg), ".")
	switch {
	case strings.Contains(msg, "identifiers starting with '__' are reserved"):
		return CodeSyntaxError, msg, `Write the name in quotes, as in "__typename": ….`
	case strings.HasPrefix(msg, "reference ") && strings.HasSuffix(msg, "not found"):
		return CodeUnknownReference, msg, "CUE looks names up where they stand: in the same block, the blocks around it, and the package. Values of run time are written as text: \"${inputs.name}\"."
	case strings.Contains(msg, "conflicting values"), strings.Contains(msg, "mismatched types"), strings.Contains(msg, "incompatible"), strings.Contains(msg, "invalid value"), strings.Contains(msg, "out of bound"):
		return CodeConflict, msg, "Both cannot hold: remove or correct one."
	case strings.Contains(msg, "structural cycle"):
		return CodeRecursiveType, "the value contains itself", "Give the type a name, and refer to the name in an optional field or a list: #Node: {next?: #Node}."
	case strings.Contains(msg, "field not allowed"):
		return CodeFieldNotAllowed, msg, "The definition that closes this struct does not have it."
	case strings.Contains(msg, "imported and not used"):
		return CodeUnusedImport, msg, "Remove the import."
	case strings.Contains(msg, "unreferenced alias or let"):
		return CodeUnusedImport, msg, "Remove it, or use it."
	case strings.Contains(msg, "no package name"):
		return CodeImportFailed, msg, "A folder is loaded as one CUE package: begin each of its files with the same `package NAME`, or give the one file that is the spec."
	case strings.Contains(msg, "cannot find package"), strings.Contains(msg, "cannot find module"), strings.Contains(msg, "import failed"), strings.Contains(msg, "package") && strings.Contains(msg, "not"):
		return CodeImportFailed, msg, "Packages of the spec's own CUE module can be imported, and those of CUE's standard library. Nothing is fetched."
	case strings.HasPrefix(msg, "cannot embed files when not in a module"):
		return CodeCueEvaluation, msg, "@embed reads files of a CUE module. Give the folder that holds the spec instead of the file, below a folder with cue.mod/module.cue."
	case strings.HasPrefix(msg, "open "):
		return CodeCueEvaluation, msg, "@embed takes files that are there, below the folder of the spec; the path starts there."
	case strings.Contains(msg, "invalid attribute"):
		return CodeSyntaxError, msg, "Attributes have parentheses: @secret()."
	case strings.HasPrefix(msg, "expected"), strings.Contains(msg, "missing ','"), strings.Contains(msg, "illegal"), strings.Contains(msg, "not terminated"), strings.Contains(msg, "found "):
		return CodeSyntaxError, msg, syntaxRemedy
	default:
		return CodeCueEvaluation, msg, "This is what CUE says of it; `cue vet -c=false` shows the same."
	}
}

// ReportLeftovers reports the errors of evaluation that no part of the walk met: in
// hidden fields and definitions.
func (d *Document) ReportLeftovers(v cue.Value) {
	for _, e := range errors.Errors(v.Validate()) {
		if !strings.Contains(message(e), "empty disjunction") {
			d.reportCUEError(e, Place{}, d.Start())
		}
	}
}
