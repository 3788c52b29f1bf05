package source

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
)

// translation is what a foreign notation means, with the edits that write it.
type translation struct {
	at              diag.Range
	summary, remedy string
	edits           []diag.Edit
}

// translate returns the translation of the text that an error of CUE is about.
func (d *Document) translate(e errors.Error, code string) (translation, bool) {
	if t, ok := d.translateConflict(e); ok {
		return t, true
	}
	pos := e.Position()
	src := d.Files.byName[pos.Filename()]
	if src == nil || src.inner != nil || d.Raw {
		return translation{}, false // the types of YAML and JSON are translated before they are parsed
	}
	if code == CodeSyntaxError {
		if t, ok := src.translateSyntax(pos.Offset()); ok || !strings.Contains(messageOf(e), "missing ','") {
			return t, ok
		}
		return src.translateComma(pos.Offset())
	}
	line := src.position(pos.Offset()).Line - 1
	assigned, isAssigned := foreign.ParseMessage(messageOf(e), src.line(line))
	if t, ok := src.translateType(pos.Offset()); ok && !strings.Contains(messageOf(e), "unreferenced alias") {
		return t, true
	}
	if isAssigned {
		return src.repair(line, assigned), true
	}
	return src.translateReference(pos.Offset())
}

// element matches the beginning of a field or an item with which CUE can go on after a comma. Another word, behind a type, is no
// declaration of its own: CUE would embed it.
var element = regexp.MustCompile(`^(?:[\w#$]+|"[^"\n]*")[?!]?:|^["'\d{\[(]`)

// translateComma adds a comma at the place where CUE misses it, if that is all that is missing.
func (s *sourceText) translateComma(offset int) (translation, bool) {
	if !element.Match(s.content[min(offset, len(s.content)):]) {
		return translation{}, false
	}
	at := len(bytes.TrimRight(s.content[:min(offset, len(s.content))], " \t"))
	edit := diag.Edit{At: s.exactSpan(at, at), Text: ","}
	edited, err := diag.Apply(diag.Sources{s.name: s.content}, []diag.Edit{edit})
	if err != nil || !Parses(s.name, "cue", edited[s.name]) {
		return translation{}, false
	}
	return translation{remedy: "Add the comma.", edits: []diag.Edit{edit}}, true
}

// runtimeReference matches a reference to a value of run time, outside of quotes.
var runtimeReference = regexp.MustCompile(`^(?:inputs|config|state|session|steps|result|body|each|id|changes)(?:\.[A-Za-z_]\w*)*`)

// translateReference translates an unknown reference of CUE: alternatives without quotes, or an
// expression without quotes.
func (s *sourceText) translateReference(offset int) (translation, bool) {
	line := s.position(offset).Line - 1
	before, after := string(s.content[s.lines[line]:offset]), s.line(line)[offset-s.lines[line]:]
	if r, ok := foreign.ParseImport(after, s.content); ok {
		return translation{summary: r.Summary, remedy: r.Remedy, edits: s.repair(0, r).edits}, true
	}
	if cue, length, ok := foreign.ParseEnum(after); ok && labelEnd.MatchString(before) {
		return s.replacement(offset, length, cue, "the values of an enumeration are strings", fmt.Sprintf("Write %s.", cue)), true
	}
	reference := runtimeReference.FindString(after)
	if end := strings.TrimLeft(after[len(reference):], " "); reference == "" || end != "" && !strings.ContainsAny(end[:1], ",}]/") {
		return translation{}, false
	}
	text := `"${` + reference + `}"`
	return s.replacement(offset, len(reference), text, "", "CUE resolves names when the spec is loaded. Write "+text+"."), true
}

// replacement returns the translation that replaces a text.
func (s *sourceText) replacement(offset, length int, text, summary, remedy string) translation {
	return translation{
		at: s.span(offset, offset+length), summary: summary, remedy: remedy,
		edits: []diag.Edit{{At: s.exactSpan(offset, offset+length), Text: text}},
	}
}

// typePlace matches the end of a label, after which a type may begin. notCUE matches what the
// syntax of CUE does not have in types.
var (
	typePlace = regexp.MustCompile(`[A-Za-z0-9_"][?!]?:[ \t]+`)
	notCUE    = regexp.MustCompile(`\[\]|<|\?|\bmap\[|\[\w+:|\[\w+ in `)
)

// translateSyntax translates the line at which CUE cannot go on, or the one before: CUE reports
// an operand that is missing at the next token.
func (s *sourceText) translateSyntax(offset int) (translation, bool) {
	const above = 4 // comments may be in between
	at := s.position(offset).Line - 1
	for line := at; line >= max(at-above, 0); line-- {
		text := s.line(line)
		if trimmed := strings.TrimSpace(text); line < at-1 && !isComment(s.line(line+1)) || strings.HasPrefix(trimmed, "//") {
			if strings.HasPrefix(trimmed, "//") {
				continue
			}
			break
		}
		for _, m := range typePlace.FindAllStringIndex(text, -1) {
			if t, ok := foreign.ParseType(text[m[1]:]); ok && notCUE.MatchString(text[m[1]:m[1]+t.Len]) {
				return s.translateType(s.lines[line] + m[1])
			}
		}
		if r, ok := foreign.ParseLine(text, false); ok {
			return s.repair(line, r), true
		}
	}
	return translation{}, false
}

func isComment(line string) bool {
	trimmed := strings.TrimSpace(line)
	return trimmed == "" || strings.HasPrefix(trimmed, "//")
}

// line returns the text of a line, counted from 0.
func (s *sourceText) line(n int) string {
	text := s.content[s.lines[n]:]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	return string(text)
}

// repair returns the translation of a line, counted from 0.
func (s *sourceText) repair(line int, r foreign.Repair) translation {
	t := translation{summary: r.Summary, remedy: r.Remedy}
	for _, p := range r.Parts {
		from, to := s.lines[line]+p.From, s.lines[line]+p.To
		t.edits = append(t.edits, diag.Edit{At: s.exactSpan(from, to), Text: p.Text})
	}
	first, last := r.Parts[0], r.Parts[len(r.Parts)-1]
	t.at = s.span(s.lines[line]+first.From, s.lines[line]+max(last.To, first.From+1))
	return t
}

// exactSpan is like span, and empty if the offsets are equal.
func (s *sourceText) exactSpan(from, to int) diag.Range {
	return diag.Range{File: s.name, Start: s.position(from), End: s.position(to)}
}

// labelEnd matches the label before a type, without a constraint.
var labelEnd = regexp.MustCompile(`[A-Za-z0-9_"](:[ \t]*)$`)

// boolean matches a boolean in other notations, and nameBefore the label before a type.
var (
	boolean    = regexp.MustCompile(`^(?:[Tt]rue|TRUE|[Ff]alse|FALSE|[Yy]es|[Nn]o|[Oo]n|[Oo]ff)\b`)
	nameBefore = regexp.MustCompile(`\w+[?!]?:[ \t]*$`)
)

// typeStart returns the offset at which the type begins that contains an offset, on its line.
func (s *sourceText) typeStart(offset int) int {
	line := s.lines[s.position(offset).Line-1]
	start := offset
	for _, m := range typePlace.FindAllIndex(s.content[line:offset], -1) {
		start = line + m[1]
	}
	return start
}

// translateType translates the foreign type at an offset.
func (s *sourceText) translateType(offset int) (translation, bool) {
	line := s.position(offset).Line - 1
	if start := s.typeStart(offset); strings.HasPrefix(string(s.content[offset:]), "undefined") && start < offset {
		offset = start // it is optional as a whole
	}
	before, after := string(s.content[s.lines[line]:offset]), s.line(line)[offset-s.lines[line]:]
	t, ok := foreign.ParseType(after)
	if own, isBool := foreign.Bool(boolean.FindString(after)); isBool && strings.HasSuffix(before, "*") {
		t, ok = foreign.Type{CUE: own, Len: len(boolean.FindString(after))}, true
	}
	if strings.HasSuffix(strings.TrimRight(before, " "), "&") {
		t.CUE = strings.TrimPrefix(t.CUE, "string & ")
	}
	if !ok || strings.HasPrefix(after[t.Len:], ".") { // a member of a package, such as list.MaxItems
		return translation{}, false
	}
	out := translation{
		at: s.span(offset, offset+t.Len), summary: fmt.Sprintf("%s is not a type of CUE", after[:t.Len]), remedy: t.Remedy(nameBefore.FindString(before)),
		edits: []diag.Edit{{At: s.exactSpan(offset, offset+t.Len), Text: t.CUE}},
	}
	if boolean.FindString(after) != "" && strings.HasSuffix(before, "*") {
		out.summary = fmt.Sprintf("%s is not a value of CUE", after[:t.Len])
	}
	for _, r := range foreign.MissingImports(t.CUE, s.content) {
		out.edits = append(out.edits, s.repair(0, r).edits...)
	}
	if label := labelEnd.FindStringSubmatchIndex(before); t.Optional && label != nil {
		colon := s.lines[line] + label[2]
		out.edits = append(out.edits, diag.Edit{At: s.exactSpan(colon, colon), Text: "?"})
	}
	return out, true
}

// reportForeignType reports the type of a property in YAML or JSON that is in another notation.
func (d *dataTypes) reportForeignType(f *ast.Field, lit *ast.BasicLit, p Place) bool {
	node, ok := d.doc.Files.StringNode(lit)
	if !ok {
		return false
	}
	text := strings.TrimSpace(node.Text)
	if r, ok := foreign.ParseAttributes(text); ok {
		d.reportAttributes(node, r, p)
		return true
	}
	if r, optional, ok := foreign.ParseModifier(text); ok {
		reported := d.reportAttributes(node, r, p)
		if optional && f.Constraint != token.OPTION {
			reported.Suggest(d.doc.optionalEdit(d.doc.Files.LabelRange(f.Label)))
		}
		return true
	}
	if value, ok := foreign.ParseAssigned(text); ok {
		d.reportAssigned(f, node, value, p)
		return true
	}
	t, ok := foreign.ParseType(text)
	if cue, length, isCombined := foreign.ParseConstraint(text, d.doc.Files.TextAt(node.Range) != text); isCombined && !ok {
		t, ok = foreign.Type{CUE: cue, Len: length}, true
	}
	if !ok {
		return false
	}
	rest := strings.TrimLeft(text[t.Len:], " ")
	if rest != "" && !strings.HasPrefix(rest, "@") {
		return false
	}
	written := text[:t.Len]
	reported := d.doc.Report(CodeBadType, node.Range, p, fmt.Sprintf("%s is not a type of CUE", written), t.Remedy(LabelOf(f)))
	edit := diag.Edit{At: node.Range, Old: written, Text: t.CUE}
	if d.doc.Files.TextAt(node.Range) == text || strings.Contains(t.CUE, `"`) {
		// Brackets, braces and quotes have a meaning in YAML outside of quotes.
		edit = diag.Edit{At: node.Range, Text: foreign.YAMLString(t.CUE + text[t.Len:])}
	}
	reported.Suggest(edit)
	if t.Optional && f.Constraint != token.OPTION {
		reported.Suggest(d.doc.optionalEdit(d.doc.Files.LabelRange(f.Label)))
	}
	return true
}

// reportWords reports a list of words in the place of a type. Their quotes are those of YAML or JSON.
func (d *dataTypes) reportWords(list *ast.ListLit, p Place) bool {
	var words []string
	for _, e := range list.Elts {
		lit, ok := e.(*ast.BasicLit)
		node, isText := (*spec.Node)(nil), false
		if ok {
			node, isText = d.doc.Files.StringNode(lit)
		}
		if !isText {
			return false
		}
		words = append(words, node.Text)
	}
	if !foreign.AreWords(words) {
		return false
	}
	for i, word := range words {
		words[i] = strconv.Quote(word)
	}
	either, at := strings.Join(words, " | "), d.doc.Files.RangeOf(list)
	written := foreign.YAMLString(either)
	reported := d.doc.Report(CodeTupleType, at, p, "a list of fixed length cannot be a property's type",
		fmt.Sprintf("For one of the values, write %s. For a list of them, write %s.", written, foreign.YAMLString("[...("+either+")]")))
	if at.Start.Line == at.End.Line {
		reported.Suggest(diag.Edit{At: at, Text: written})
	}
	return true
}

// reportAttributes reports a type whose attributes are in another notation.
func (d *dataTypes) reportAttributes(node *spec.Node, r foreign.Repair, p Place) *diag.Diagnostic {
	text := node.Text
	for _, part := range slices.Backward(r.Parts) {
		text = text[:part.From] + part.Text + text[part.To:]
	}
	return d.doc.Report(CodeBadType, node.Range, p, r.Summary, r.Remedy).Suggest(diag.Edit{At: node.Range, Old: node.Text, Text: text})
}

// reportAssigned reports a value that is assigned to the type of a property. cue is what to write.
func (d *dataTypes) reportAssigned(f *ast.Field, node *spec.Node, cue string, p Place) {
	reported := d.doc.Report(CodeBadType, node.Range, p, "a default is an alternative with *", "Write "+cue+". The property is then optional.").
		Suggest(diag.Edit{At: node.Range, Text: foreign.YAMLString(cue)})
	if label := d.doc.Files.LabelRange(f.Label); f.Constraint == token.OPTION {
		label.Start = label.End
		label.End.Column++
		reported.Suggest(diag.Edit{At: label, Old: "?"})
	}
}

// TextAt returns the source text of a range within one line, or "".
func (f *Files) TextAt(at diag.Range) string {
	s := f.byName[at.File]
	if s == nil || at.Start.Line != at.End.Line || at.Start.Line < 1 || at.Start.Line > len(s.lines) {
		return ""
	}
	runes := []rune(s.line(at.Start.Line - 1))
	from, to := at.Start.Column-1, at.End.Column-1
	if from < 0 || to > len(runes) || from > to {
		return ""
	}
	return string(runes[from:to])
}

// Unquoted returns the range of a string of YAML or JSON without its quotes.
func (f *Files) Unquoted(at diag.Range) diag.Range {
	if text := f.TextAt(at); len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		at.Start.Column++
		at.End.Column--
	}
	return at
}
