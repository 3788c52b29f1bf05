package load

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

// cueError reports an error of CUE's, once for each place; fallback is the
// place of an error that has none.
func (l *loader) cueError(e errors.Error, p place, fallback diag.Range) {
	code, _, _ := explain(message(e))
	l.cueErrorAs(e, p, fallback, code)
}

// cueErrorAs is cueError with the code decided.
func (l *loader) cueErrorAs(e errors.Error, p place, fallback diag.Range, code string) {
	msg := message(e)
	at, others := l.errorPlaces(e)
	if strings.HasPrefix(msg, "cannot embed") {
		fallback = l.firstEmbed(fallback)
	}
	if at.IsZero() {
		at = fallback
	}
	key := at.String()
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	for _, o := range others {
		l.seen[o.String()] = true
	}
	if strings.HasPrefix(msg, "undefined field") && l.memberOfHole(at) {
		return
	}
	explained, summary, detail := explain(msg)
	if code == syntaxError && explained == cueEvaluation {
		detail = syntaxRemedy
	}
	if name := missingName(msg); name != "" {
		if near := diag.DidYouMean(name, l.names()); near != "" {
			detail = fmt.Sprintf("Did you mean %q? ", near) + detail
		}
	}
	if p.path == "" {
		p = lintSite{path: e.Path()}.place()
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
	l.report(code, at, p, summary, detail)
}

// firstEmbed is the range of the first @embed, for CUE's errors about all of
// them, which have no place; else otherwise.
func (l *loader) firstEmbed(otherwise diag.Range) diag.Range {
	var found *ast.Attribute
	for _, f := range l.syntax.files {
		ast.Walk(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.Attribute); ok && found == nil && strings.HasPrefix(a.Text, "@embed(") {
				found = a
			}
			return found == nil
		}, nil)
	}
	if found == nil {
		return otherwise
	}
	return l.files.of(found)
}

// missingName is the name in CUE's complaint about a reference, or "".
func missingName(msg string) string {
	rest, ok := strings.CutPrefix(msg, "reference \"")
	name, _, closed := strings.Cut(rest, "\" not found")
	if !ok || !closed {
		return ""
	}
	return name
}

// names are those that a CUE expression anywhere in the spec may refer to.
func (l *loader) names() []string {
	names := slices.Concat(predeclaredTypes, predeclared)
	for name := range l.syntax.root.children {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// message is what an error says itself, without the places and the wrapping
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

// errorPlaces are where an error is, the best first, in the author's files only.
func (l *loader) errorPlaces(e errors.Error) (diag.Range, []diag.Range) {
	var places []diag.Range
	add := func(pos token.Pos) {
		if !pos.IsValid() || l.files.byName[pos.Filename()] == nil {
			return
		}
		r := l.nodeAt(pos)
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

// cueErrors reports what CUE has against one value. Where that is a disjunction
// of which nothing is left, CUE gives an error for each alternative: they are
// one mistake.
func (l *loader) cueErrors(err error, p place, at diag.Range) {
	all := errors.Errors(errors.Promote(err, ""))
	for _, e := range all {
		if !strings.Contains(message(e), "empty disjunction") {
			continue
		}
		for _, e := range all {
			where, others := l.errorPlaces(e)
			for _, o := range append(others, where) {
				l.seen[o.String()] = true
			}
		}
		if !l.seen[at.String()] || len(all) > 1 {
			l.report(conflict, at, p, "none of the alternatives is possible here", strings.TrimSuffix(message(all[len(all)-1]), ":")+".")
		}
		l.seen[at.String()] = true
		return
	}
	for _, e := range all {
		l.cueError(e, p, at)
	}
}

// nodeAt is the range of the smallest expression that starts at a position.
func (l *loader) nodeAt(pos token.Pos) diag.Range {
	best := l.files.span(pos, token.NoPos)
	if l.syntax == nil {
		return best
	}
	var found ast.Node
	for _, f := range l.syntax.files {
		if f.Filename != pos.Filename() && !l.raw {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			if n.Pos().IsValid() && n.Pos().Filename() == pos.Filename() && n.Pos().Offset() == pos.Offset() {
				switch n := n.(type) {
				case *ast.LetClause:
					if found == nil {
						found = n.Ident
					}
				case *ast.ImportSpec, *ast.Ident, *ast.BasicLit, *ast.UnaryExpr, *ast.Interpolation, *ast.CallExpr, *ast.SelectorExpr, *ast.Attribute:
					if found == nil {
						found = n
					}
				}
			}
			return true
		}, nil)
	}
	if found == nil {
		return best
	}
	return l.files.of(found)
}

// syntaxRemedy is said of what no parser can explain.
const syntaxRemedy = "The file is read up to here; the mistake may stand a little before."

// explain turns what CUE says into a code, a summary and a remedy.
func explain(msg string) (code, summary, detail string) {
	msg = strings.TrimSuffix(strings.TrimSpace(msg), ".")
	switch {
	case strings.Contains(msg, "identifiers starting with '__' are reserved"):
		return syntaxError, msg, `Write the name in quotes, as in "__typename": ….`
	case strings.HasPrefix(msg, "reference ") && strings.HasSuffix(msg, "not found"):
		return unknownReference, msg, "CUE looks names up where they stand: in the same block, the blocks around it, and the package. Values of run time are written as text: \"${inputs.name}\"."
	case strings.Contains(msg, "conflicting values"), strings.Contains(msg, "mismatched types"), strings.Contains(msg, "incompatible"), strings.Contains(msg, "invalid value"), strings.Contains(msg, "out of bound"):
		return conflict, msg, "Both cannot hold: remove or correct one."
	case strings.Contains(msg, "structural cycle"):
		return recursiveType, "the value contains itself", "Give the type a name, and refer to the name in an optional field or a list: #Node: {next?: #Node}."
	case strings.Contains(msg, "field not allowed"):
		return fieldNotAllowed, msg, "The definition that closes this struct does not have it."
	case strings.Contains(msg, "imported and not used"):
		return unusedImport, msg, "Remove the import."
	case strings.Contains(msg, "unreferenced alias or let"):
		return unusedImport, msg, "Remove it, or use it."
	case strings.Contains(msg, "no package name"):
		return importFailed, msg, "A folder is loaded as one CUE package: begin each of its files with the same `package NAME`, or give the one file that is the spec."
	case strings.Contains(msg, "cannot find package"), strings.Contains(msg, "cannot find module"), strings.Contains(msg, "import failed"), strings.Contains(msg, "package") && strings.Contains(msg, "not"):
		return importFailed, msg, "Packages of the spec's own CUE module can be imported, and those of CUE's standard library. Nothing is fetched."
	case strings.HasPrefix(msg, "cannot embed files when not in a module"):
		return cueEvaluation, msg, "@embed reads files of a CUE module. Give the folder that holds the spec instead of the file, below a folder with cue.mod/module.cue."
	case strings.HasPrefix(msg, "open "):
		return cueEvaluation, msg, "@embed takes files that are there, below the folder of the spec; the path starts there."
	case strings.Contains(msg, "invalid attribute"):
		return syntaxError, msg, "Attributes have parentheses: @secret()."
	case strings.HasPrefix(msg, "expected"), strings.Contains(msg, "missing ','"), strings.Contains(msg, "illegal"), strings.Contains(msg, "not terminated"), strings.Contains(msg, "found "):
		return syntaxError, msg, syntaxRemedy
	default:
		return cueEvaluation, msg, "This is what CUE says of it; `cue vet -c=false` shows the same."
	}
}

// leftovers reports the errors of evaluation that no part of the walk met: in
// hidden fields and definitions.
func (l *loader) leftovers(v cue.Value) {
	for _, e := range errors.Errors(v.Validate()) {
		if !strings.Contains(message(e), "empty disjunction") {
			l.cueError(e, place{}, l.documentStart())
		}
	}
}
