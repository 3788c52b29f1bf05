// Package scalar finds where the characters of a string are written in a document.
package scalar

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Source is a document. Position returns the line and column of a byte offset.
type Source struct {
	Content  []byte
	Position func(offset int) diag.Position
}

// Quoted decodes the string of CUE or JSON that begins at an offset, and locates its characters. end
// is the offset behind the string. ok is false if there is no complete string.
func Quoted(src Source, at int) (text string, marks []spec.Mark, end int, ok bool) {
	s := &scan{Source: src, at: at}
	ok = s.run()
	return s.text.String(), s.marks, s.at, ok
}

// scan decodes a quoted string of CUE or JSON and records the positions of its
// characters.
type scan struct {
	Source
	at    int // byte offset in raw
	hash  string
	quote string
	text  strings.Builder
	runes int // code points in text
	marks []spec.Mark
	fresh bool // the next character begins a new mark
}

// run scans the whole literal and reports whether it is valid.
func (s *scan) run() bool {
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
func (s *scan) scanBody(indent string) bool {
	end := s.quote + s.hash
	escape := `\` + s.hash
	for s.at < len(s.Content) {
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
			r, size := utf8.DecodeRune(s.Content[s.at:])
			s.put(string(r), s.at)
			s.at += size
		}
	}
	return false
}

// openBlock skips the line of the opening quotes and finds the indentation, which is
// the white space before the closing quotes.
func (s *scan) openBlock() (indent string, ok bool) {
	for s.at < len(s.Content) && s.Content[s.at] != '\n' {
		s.at++
	}
	s.at++
	if s.at > len(s.Content) {
		return "", false
	}
	end := []byte(`"""` + s.hash)
	for line := range bytes.Lines(s.Content[s.at:]) {
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
func (s *scan) common(indent string) string {
	n := 0
	for n < len(indent) && s.at+n < len(s.Content) && s.Content[s.at+n] == indent[n] {
		n++
	}
	return indent[:n]
}

// scanNewline scans a line break in a block, except the one before the closing quotes,
// which is not part of the string.
func (s *scan) scanNewline(indent, end string) (done bool) {
	start := s.at
	s.at += bytes.IndexByte(s.Content[s.at:], '\n') + 1
	rest := s.Content[s.at:min(len(s.Content), s.at+len(indent)+len(end))]
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
func (s *scan) scanEscape(introducer int) bool {
	start := s.at
	s.at += introducer
	if s.at >= len(s.Content) {
		return false
	}
	c := s.Content[s.at]
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
func (s *scan) scanUnicode(c byte) (rune, bool) {
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

func (s *scan) hex(digits int) (rune, bool) {
	if s.at+digits > len(s.Content) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.Content[s.at:s.at+digits]), 16, 32)
	s.at += digits
	return rune(n), err == nil
}

// put adds one character whose source begins at the byte offset.
func (s *scan) put(text string, offset int) {
	if s.fresh {
		s.mark(offset)
		s.fresh = false
	}
	s.text.WriteString(text)
	s.runes++
}

// mark begins a new run of characters that are adjacent in the source.
func (s *scan) mark(offset int) {
	pos := s.Position(offset)
	if n := len(s.marks); n > 0 && s.marks[n-1].Offset == s.runes {
		s.marks = s.marks[:n-1]
	}
	s.marks = append(s.marks, spec.Mark{Offset: s.runes, Pos: pos})
}

func (s *scan) peek(prefix string) bool {
	return bytes.HasPrefix(s.Content[min(s.at, len(s.Content)):], []byte(prefix))
}
