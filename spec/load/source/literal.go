package source

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
)

// StringNode returns a literal string of the document with the position of each of
// its characters. ok is false if lit is not a string that occurs literally in a file.
func (f *Files) StringNode(lit *ast.BasicLit) (*spec.Node, bool) {
	if n, ok := f.scalars[lit]; ok {
		return n, n.Kind == spec.StringNode
	}
	if lit.Kind != token.STRING || strings.HasPrefix(strings.TrimLeft(lit.Value, "#"), "'") {
		return nil, false
	}
	text, err := literal.Unquote(lit.Value)
	if err != nil {
		return nil, false
	}
	if n, ok := f.StringAt(lit.Pos(), 0); ok && n.Text == text {
		return n, true
	}
	return &spec.Node{Kind: spec.StringNode, Text: text, Range: f.RangeOf(lit)}, true
}

// literalScan decodes a quoted string of CUE or JSON and records the positions of its
// characters.
type literalScan struct {
	src   *sourceText
	raw   []byte
	at    int // byte offset in raw
	hash  string
	quote string
	text  strings.Builder
	runes int // code points in text
	marks []spec.Mark
	fresh bool // the next character begins a new mark
}

// run scans the whole literal and reports whether it is valid.
func (s *literalScan) run() bool {
	for s.peek("#") {
		s.hash += "#"
		s.at++
	}
	s.quote = `"`
	if s.peek(`"""`) {
		s.quote = `"""`
	} else if !s.peek(`"`) {
		return false
	}
	s.at += len(s.quote)
	indent := ""
	if s.quote == `"""` {
		var ok bool
		if indent, ok = s.openBlock(); !ok {
			return false
		}
	}
	s.fresh = true
	return s.scanBody(indent)
}

// scanBody scans to the end of the closing quotes.
func (s *literalScan) scanBody(indent string) bool {
	end := s.quote + s.hash
	escape := `\` + s.hash
	for s.at < len(s.raw) {
		switch {
		case s.quote == `"` && s.peek(end), s.quote == `"""` && s.peek(end):
			s.at += len(end)
			return true
		case s.peek(escape):
			if !s.scanEscape(len(escape)) {
				return false
			}
		case s.peek("\r\n"), s.peek("\n"):
			if s.quote == `"` {
				return false
			}
			if done := s.scanNewline(indent, end); done {
				return true
			}
		default:
			r, size := utf8.DecodeRune(s.raw[s.at:])
			s.put(string(r), s.at)
			s.at += size
		}
	}
	return false
}

// openBlock skips the line of the opening quotes and finds the indentation, which is
// the white space before the closing quotes.
func (s *literalScan) openBlock() (indent string, ok bool) {
	for s.at < len(s.raw) && s.raw[s.at] != '\n' {
		s.at++
	}
	s.at++
	if s.at > len(s.raw) {
		return "", false
	}
	end := []byte(`"""` + s.hash)
	for line := range bytes.Lines(s.raw[s.at:]) {
		trimmed := bytes.TrimLeft(line, " \t")
		if bytes.HasPrefix(trimmed, end) {
			indent = string(line[:len(line)-len(trimmed)])
			s.at += len(s.common(indent))
			return indent, true
		}
	}
	return "", false
}

// common returns the part of the indentation that is present at this position. An
// empty line may have less.
func (s *literalScan) common(indent string) string {
	n := 0
	for n < len(indent) && s.at+n < len(s.raw) && s.raw[s.at+n] == indent[n] {
		n++
	}
	return indent[:n]
}

// scanNewline scans a line break in a block, except the one before the closing quotes,
// which is not part of the string.
func (s *literalScan) scanNewline(indent, end string) (done bool) {
	start := s.at
	s.at += bytes.IndexByte(s.raw[s.at:], '\n') + 1
	rest := s.raw[s.at:min(len(s.raw), s.at+len(indent)+len(end))]
	if string(rest) == indent+end {
		s.at += len(indent) + len(end)
		return true
	}
	s.put("\n", start)
	s.at += len(s.common(indent))
	s.fresh = true
	return false
}

// scanEscape scans one escape sequence. introducer is the length of its introducer in
// bytes.
func (s *literalScan) scanEscape(introducer int) bool {
	start := s.at
	s.at += introducer
	if s.at >= len(s.raw) {
		return false
	}
	c := s.raw[s.at]
	s.at++
	text := ""
	switch c {
	case 'u', 'U':
		r, ok := s.scanUnicode(c)
		if !ok {
			return false
		}
		text = string(r)
	case '\n':
		return false
	default:
		i := strings.IndexByte(`abfnrtv\/"'`, c)
		if i < 0 {
			return false
		}
		text = "\a\b\f\n\r\t\v\\/\"'"[i : i+1]
	}
	s.fresh = true
	s.put(text, start)
	s.fresh = true
	return true
}

// scanUnicode scans the digits of \u and \U, and the surrogate pairs of JSON.
func (s *literalScan) scanUnicode(c byte) (rune, bool) {
	digits := 4
	if c == 'U' {
		digits = 8
	}
	r, ok := s.hex(digits)
	if ok && utf16.IsSurrogate(r) && s.peek(`\u`) {
		s.at += 2
		low, ok := s.hex(4)
		return utf16.DecodeRune(r, low), ok
	}
	return r, ok
}

func (s *literalScan) hex(digits int) (rune, bool) {
	if s.at+digits > len(s.raw) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.raw[s.at:s.at+digits]), 16, 32)
	s.at += digits
	return rune(n), err == nil
}

// put adds one character whose source begins at the byte offset.
func (s *literalScan) put(text string, offset int) {
	if s.fresh {
		s.mark(offset)
		s.fresh = false
	}
	s.text.WriteString(text)
	s.runes++
}

// mark begins a new run of characters that are adjacent in the source.
func (s *literalScan) mark(offset int) {
	pos := s.src.span(offset, offset+1).Start
	if n := len(s.marks); n > 0 && s.marks[n-1].Offset == s.runes {
		s.marks = s.marks[:n-1]
	}
	s.marks = append(s.marks, spec.Mark{Offset: s.runes, Pos: pos})
}

func (s *literalScan) peek(prefix string) bool {
	return bytes.HasPrefix(s.raw[min(s.at, len(s.raw)):], []byte(prefix))
}

// StringAt returns the quoted string that begins skip bytes after a position.
func (f *Files) StringAt(pos token.Pos, skip int) (*spec.Node, bool) {
	src := f.byName[pos.Filename()]
	if src == nil {
		return nil, false
	}
	offset := pos.Offset() + skip
	scan := &literalScan{src: src, raw: src.content, at: offset}
	if !scan.run() {
		return nil, false
	}
	text := scan.text.String()
	if _, err := literal.Unquote(string(src.content[offset:scan.at])); err != nil {
		return nil, false
	}
	return &spec.Node{Kind: spec.StringNode, Text: text, Range: src.span(offset, scan.at), Marks: scan.marks}, true
}
