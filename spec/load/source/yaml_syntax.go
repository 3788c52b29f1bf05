package source

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
)

// yamlLine matches the line in an error of the YAML library.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// parserError matches errors from the library's parser, as opposed to its scanner.
var parserError = regexp.MustCompile(`did not find expected (',' or|key|'-' indicator|node content|<)`)

// unknownAnchor matches the name in the library's error.
var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

// reportSyntax reports a syntax error from the YAML library, which gives at most a line.
func (r *yamlReader) reportSyntax(err error) {
	at := diag.Point(r.src.name, 1, 1)
	summary := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		summary = m[2]
		line, err := strconv.Atoi(m[1])
		if parserError.MatchString(summary) {
			line++ // the library's parser counts lines from 0, its scanner from 1
		}
		if err == nil && line >= 1 && line <= len(r.src.lines) {
			at = r.findCulprit(line, summary)
		}
	}
	var edits []diag.Edit
	code, detail := CodeSyntaxError, "Parsing stopped here; the mistake may be a little earlier. Quote strings that contain : or #, or begin with {, [, *, & or !."
	if m := unknownAnchor.FindStringSubmatch(summary); m != nil {
		code, detail = CodeYamlAnchor, "An alias refers to an anchor above it. Quote strings that begin with *."
		if i := bytes.Index(r.src.content, []byte("*"+m[1])); i >= 0 {
			at = r.src.span(i, i+1+len(m[1]))
		}
	}
	if strings.Contains(summary, "tab character") {
		if line := r.src.tabLine(at.Start.Line); line > 0 {
			at = r.line(line)
		}
	}
	if quoted := r.src.quoteOptional(at); quoted != nil {
		summary, detail, edits = "a key with a ? must be in quotes between braces", "Write "+quoted[0].Text+": ….", quoted
	}
	if t, ok := r.translateSyntax(at.Start.Line); ok && code == CodeSyntaxError {
		at, summary, detail, edits = t.at, t.summary, t.remedy, t.edits
	}
	if strings.HasPrefix(r.src.line(at.Start.Line-1), "\t") {
		edits = r.src.replaceTabs()
	}
	r.doc.Report(code, at, Place{}, summary, detail).Suggest(edits...)
}

// tabLine returns the first line, from the given one on, that is indented with tabs, or 0: the
// library reports the line before.
func (s *sourceText) tabLine(from int) int {
	for line := from; line <= len(s.lines); line++ {
		if strings.Contains(leadingSpace.FindString(s.line(line-1)), "\t") {
			return line
		}
	}
	return 0
}

// replaceTabs returns the edits that replace the tabs at the beginning of all lines, two spaces for
// each. It returns none if other lines begin with spaces: then nobody knows how wide a tab is.
func (s *sourceText) replaceTabs() []diag.Edit {
	var edits []diag.Edit
	for i, start := range s.lines {
		indent := leadingSpace.FindString(s.line(i))
		switch {
		case indent == "":
		case strings.Trim(indent, "\t") != "":
			return nil
		default:
			edits = append(edits, diag.Edit{At: s.exactSpan(start, start+len(indent)), Text: strings.Repeat("  ", len(indent))})
		}
	}
	return edits
}

// leadingSpace matches the indentation of a line.
var leadingSpace = regexp.MustCompile(`^[ \t]*`)

// translateSyntax translates a line at which YAML cannot go on. The mistake may be a few lines
// above the reported one, or anywhere below, if that begins a block: then the document can be parsed with the translation.
func (r *yamlReader) translateSyntax(reported int) (translation, bool) {
	const above = 3
	for i := range above + 1 + len(r.src.lines) - reported {
		line := reported - 1 - i
		if i > above {
			line = reported + i - above - 1
		}
		if line < 0 {
			continue
		}
		found, ok := foreign.ParseLine(r.src.line(line), true)
		if t := (translation{}); ok {
			if t = r.src.repair(line, found); line == reported-1 || r.src.parsesWith(t.edits) {
				return t, true
			}
		}
	}
	found, line, ok := foreign.ParseIndentation(strings.Split(string(r.src.content), "\n"))
	if !ok {
		return translation{}, false
	}
	t := r.src.repair(line, found)
	if strings.TrimSpace(found.Parts[0].Text) != "" {
		t.edits = nil
		return t, line >= reported-above-1
	}
	return t, r.src.parsesWith(t.edits)
}

// parsesWith reports whether the document can be parsed with edits.
func (s *sourceText) parsesWith(edits []diag.Edit) bool {
	edited, err := diag.Apply(diag.Sources{s.name: s.content}, edits)
	return err == nil && Parses(s.name, "yaml", edited[s.name])
}

// indicatorValue matches a value that begins with an indicator character of YAML.
var indicatorValue = regexp.MustCompile("^\\s*(?:- )*[^\\s:#]+:\\s+([@`>|*&!%].*?)(?:\\s+#.*)?$")

// plainValue matches the value of a line with a key.
var plainValue = regexp.MustCompile(`^\s*(?:- )*[^\s:#]+:\s+(\S.*?)(?:\s+#.*)?$`)

// optionalKey matches a key with a question mark inside braces, where it must be
// quoted.
var optionalKey = regexp.MustCompile(`[{,]\s*([A-Za-z_][A-Za-z0-9_]*\?):`)

// quoteOptional returns the edits that quote the keys with a question mark in a line, or none if
// the mistake is another one.
func (s *sourceText) quoteOptional(at diag.Range) (edits []diag.Edit) {
	from, line, found := s.lines[at.Start.Line-1], s.line(at.Start.Line-1), false
	for _, m := range optionalKey.FindAllStringSubmatchIndex(line, -1) {
		if strings.Count(line[:m[2]], `"`)%2 == 1 || strings.Count(line[:m[2]], "'")%2 == 1 {
			continue // in a type in quotes
		}
		key := s.exactSpan(from+m[2], from+m[3])
		found = found || key.Start == at.Start
		edits = append(edits, diag.Edit{At: key, Text: strconv.Quote(string(s.content[from+m[2] : from+m[3]]))})
	}
	if !found {
		return nil
	}
	return edits
}

// findCulprit returns the likely range of the mistake in a line: a value that begins with
// an indicator character, or a bracket that is not closed. Otherwise it returns the
// whole line.
func (r *yamlReader) findCulprit(n int, summary string) diag.Range {
	from := r.src.lines[n-1]
	text, _, _ := bytes.Cut(r.src.content[from:], []byte("\n"))
	for ; n > 1 && len(bytes.TrimSpace(text)) == 0; n-- {
		from = r.src.lines[n-2]
		text, _, _ = bytes.Cut(r.src.content[from:], []byte("\n"))
	}
	if m := indicatorValue.FindSubmatchIndex(text); m != nil {
		return r.src.span(from+m[2], from+m[3])
	}
	if m := plainValue.FindSubmatchIndex(text); m != nil && strings.HasPrefix(summary, "mapping values") {
		return r.src.span(from+m[2], from+m[3])
	}
	if len(text) > 0 && text[0] == '\t' {
		return r.src.span(from, from+1) // YAML does not allow tabs for indentation
	}
	if m := optionalKey.FindSubmatchIndex(text); m != nil && strings.Contains(summary, "',' or '}'") {
		return r.src.span(from+m[2], from+m[3])
	}
	if i, end := bareTemplate(text); end > 0 {
		return r.src.span(from+i, from+end)
	}
	var open []int
	for i, c := range text {
		switch c {
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		}
	}
	if len(open) > 0 {
		return r.src.span(from+open[0], from+open[0]+1)
	}
	return r.line(n)
}

// bareTemplate finds an unquoted ${…} inside braces or brackets, where YAML ends a
// string at the first brace or bracket. end is 0 if there is none.
func bareTemplate(line []byte) (from, end int) {
	depth, quote := 0, byte(0)
	for i, c := range line {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' && depth > 0 && i > 0 && line[i-1] == '$':
			if n := bytes.IndexByte(line[i:], '}'); n > 0 {
				return i - 1, i + n + 1
			}
			return i - 1, len(line)
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return 0, 0
}

// line returns the range of a line.
func (r *yamlReader) line(n int) diag.Range {
	from := r.src.lines[n-1]
	to := len(r.src.content)
	if n < len(r.src.lines) {
		to = r.src.lines[n]
	}
	text := string(r.src.content[from:to])
	from += len(text) - len(strings.TrimLeft(text, " \t"))
	return r.src.span(from, from+len(strings.TrimSpace(text)))
}

// bracketKey matches the key of a map type without quotes, mustache a placeholder of Helm: YAML reads
// both as keys that are lists or structs.
var (
	bracketKey = regexp.MustCompile(`^(\[[^\]\n]*\]):`)
	mustache   = regexp.MustCompile(`\{\{-?\s*[.$]?([A-Za-z_][\w.]*)\s*-?\}\}`)
)

// reportKey reports a key that is a list or a struct.
func (r *yamlReader) reportKey(key *yaml.Node, p Place) {
	line, offset := r.src.line(key.Line-1), r.offset(key)
	if m := bracketKey.FindStringSubmatch(string(r.src.content[offset:])); m != nil {
		r.doc.Report(CodeSyntaxError, r.src.span(offset, offset+len(m[1])), p, "a key must be a string", "Quote the key: \"[string]\": ….").
			Suggest(diag.Edit{At: r.src.exactSpan(offset, offset+len(m[1])), Text: `"` + m[1] + `"`})
		return
	}
	if m := mustache.FindStringSubmatchIndex(line); m != nil {
		start := r.src.lines[key.Line-1]
		text := "${" + line[m[2]:m[3]] + "}"
		at := r.src.exactSpan(start+m[0], start+m[1])
		r.doc.Report(CodeSyntaxError, at, p, "this is a struct for YAML, not a placeholder", "Write an expression: "+text+".").Suggest(diag.Edit{At: at, Text: text})
		return
	}
	r.doc.Report(CodeSyntaxError, r.start(key), p, "a key must be a string", "Lists and structs cannot be keys.")
}

// reportComment reports a reference to a type that YAML reads as a comment, because it is not quoted.
func (r *yamlReader) reportComment(key, value *yaml.Node, p Place) {
	if value.ShortTag() != "!!null" || value.Value != "" {
		return
	}
	line, start := r.src.line(key.Line-1), r.src.lines[key.Line-1]
	if m := commentReference.FindStringSubmatchIndex(line); m != nil {
		at := r.src.exactSpan(start+m[2], start+m[3])
		text := line[m[2]:m[3]]
		r.doc.Report(CodeWrongShape, at, p.Member(key.Value), fmt.Sprintf("%s is a comment of YAML, and %s has no value", text, key.Value), fmt.Sprintf("Quote it: %q.", text)).
			Suggest(diag.Edit{At: at, Text: fmt.Sprintf("%q", text)})
	}
}

// reportCutTemplate reports a string without quotes whose expression contains a #, with which YAML
// begins a comment.
func (r *yamlReader) reportCutTemplate(n *yaml.Node, p Place) bool {
	open := strings.LastIndex(n.Value, "${")
	if n.Style != 0 || open < 0 || strings.Contains(n.Value[open:], "}") {
		return false
	}
	offset := r.offset(n)
	text := string(r.src.content[offset:])
	hash := commentStart.FindStringIndex(text)
	if hash == nil || !slices.Equal(strings.Fields(text[:hash[0]]), strings.Fields(n.Value)) { // it may have several lines
		return false
	}
	end := foreign.ClosingBrace(text, strings.LastIndex(text[:hash[0]], "${")+len("${"))
	if end < 0 || strings.Contains(text[hash[0]:end], "\n") {
		return false
	}
	rest, _, _ := strings.Cut(text[end:], "\n")
	if comment := commentStart.FindStringIndex(rest); comment != nil {
		rest = rest[:comment[0]]
	}
	text = strings.TrimRight(text[:end]+rest, " \t\r")
	at := r.src.exactSpan(offset, offset+len(text))
	r.doc.Report(CodeSyntaxError, at, p, "the # in this expression begins a comment of YAML", "Write the whole string in quotes.").
		Suggest(diag.Edit{At: at, Text: "'" + strings.ReplaceAll(text, "'", "''") + "'"})
	return true
}

// commentStart matches the beginning of a comment behind a value, with the space before it.
var commentStart = regexp.MustCompile(`[ \t]+#`)

// commentReference matches a reference to a type without quotes, as the value of a key.
var commentReference = regexp.MustCompile(`:\s+(#[A-Z]\w*)\s*$`)
