package source

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec/diag"
)

// yamlLine finds the line in an error of the YAML library.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// fromParser tells the complaints of the library's parser from its scanner's.
var fromParser = regexp.MustCompile(`did not find expected (',' or|key|'-' indicator|node content|<)`)

// unknownAnchor finds the name in the library's complaint.
var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

// syntax reports what the YAML library could not read; it gives a line at most.
func (r *yamlReader) syntax(err error) {
	at := diag.Point(r.src.name, 1, 1)
	summary := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		summary = m[2]
		line, err := strconv.Atoi(m[1])
		if fromParser.MatchString(summary) {
			line++ // the library's parser counts lines from 0, its scanner from 1
		}
		if err == nil && line >= 1 && line <= len(r.src.lines) {
			at = r.culprit(line, summary)
		}
	}
	code, detail := CodeSyntaxError, "YAML is read up to here; the mistake may stand a little before. Text with : or # in it, or with {, [, *, & or ! in front, needs quotes."
	if m := unknownAnchor.FindStringSubmatch(summary); m != nil {
		code, detail = CodeYamlAnchor, "An alias repeats what stands at an anchor above it. Text that begins with * needs quotes."
		if i := bytes.Index(r.src.content, []byte("*"+m[1])); i >= 0 {
			at = r.src.span(i, i+1+len(m[1]))
		}
	}
	r.doc.Report(code, at, Place{}, summary, detail)
}

// special finds a value that begins with a character of YAML's own.
var special = regexp.MustCompile("^\\s*(?:- )*[^\\s:#]+:\\s+([@`>|*&!%].*?)(?:\\s+#.*)?$")

// plainValue finds the value of a line's key.
var plainValue = regexp.MustCompile(`^\s*(?:- )*[^\s:#]+:\s+(\S.*?)(?:\s+#.*)?$`)

// optionalKey finds a key with a question mark inside braces, which needs quotes
// there.
var optionalKey = regexp.MustCompile(`[{,]\s*([A-Za-z_][A-Za-z0-9_]*\?):`)

// culprit returns what is wrong in a line, as far as can be told: a value that
// begins with a character of YAML's own, a bracket that is not closed, else the
// whole line.
func (r *yamlReader) culprit(n int, summary string) diag.Range {
	from := r.src.lines[n-1]
	text, _, _ := bytes.Cut(r.src.content[from:], []byte("\n"))
	for n > 1 && len(bytes.TrimSpace(text)) == 0 {
		n--
		from = r.src.lines[n-1]
		text, _, _ = bytes.Cut(r.src.content[from:], []byte("\n"))
	}
	if m := special.FindSubmatchIndex(text); m != nil {
		return r.src.span(from+m[2], from+m[3])
	}
	if m := plainValue.FindSubmatchIndex(text); m != nil && strings.HasPrefix(summary, "mapping values") {
		return r.src.span(from+m[2], from+m[3])
	}
	if len(text) > 0 && text[0] == '\t' {
		return r.src.span(from, from+1) // YAML is indented by blanks only
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

// bareTemplate finds a ${…} without quotes in a line, inside braces or brackets,
// where YAML ends text at the first of these; end is 0 where there is none.
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

// line returns the range of a line's text.
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
