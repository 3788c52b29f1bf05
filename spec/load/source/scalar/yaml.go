package scalar

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
)

// YAML locates the characters of text, the value of the scalar that begins at an offset, by the rules
// of its style. end is the offset behind the scalar. ok is false if the source does not have the text.
func YAML(src Source, at int, style yaml.Style, text string) (marks []spec.Mark, end int, ok bool) {
	a := &align{scan: scan{Source: src, at: at, fresh: true}, style: style}
	if !a.skipOpening() {
		return nil, at, false
	}
	for text != "" {
		c, size := utf8.DecodeRuneInString(text)
		if text = text[size:]; !a.alignNext(c, text) {
			return nil, at, false
		}
	}
	end = a.skipClosing()
	return a.scan.marks, end, true
}

// align aligns the source of a scalar with its decoded text.
type align struct {
	scan   scan
	style  yaml.Style
	indent int // of the lines of a block
}

func (a *align) is(s yaml.Style) bool { return a.style&s != 0 }

func (a *align) block() bool { return a.is(yaml.LiteralStyle) || a.is(yaml.FoldedStyle) }

// skipOpening skips the opening quote or the header of a block.
func (a *align) skipOpening() bool {
	s := &a.scan
	switch {
	case a.is(yaml.DoubleQuotedStyle):
		return a.take(`"`)
	case a.is(yaml.SingleQuotedStyle):
		return a.take(`'`)
	case a.block():
		line := s.Content[s.at:]
		end := bytes.IndexByte(line, '\n')
		if end < 0 {
			return false
		}
		header := string(line[:end])
		explicit := strings.ContainsAny(strings.SplitN(header, "#", 2)[0], "123456789")
		s.at += end + 1
		return !explicit && a.findIndent()
	default:
		return true
	}
}

func (a *align) take(quote string) bool {
	if !a.scan.peek(quote) {
		return false
	}
	a.scan.at++
	return true
}

// findIndent determines the indentation of a block from its first line that is not
// empty, and skips the indentation of the first line.
func (a *align) findIndent() bool {
	for line := range bytes.Lines(a.scan.Content[a.scan.at:]) {
		text := bytes.TrimRight(line, "\r\n")
		trimmed := bytes.TrimLeft(text, " ")
		if len(trimmed) > 0 {
			a.indent = len(text) - len(trimmed)
			a.skipIndent()
			return true
		}
	}
	return true
}

func (a *align) skipIndent() {
	for n := 0; n < a.indent && a.scan.peek(" "); n++ {
		a.scan.at++
	}
}

// alignNext locates one decoded character. following is the text after it.
func (a *align) alignNext(c rune, following string) bool {
	s := &a.scan
	if a.block() {
		return a.alignBlock(c, following)
	}
	if a.is(yaml.DoubleQuotedStyle) {
		for s.peek("\\\n") || s.peek("\\\r\n") { // a line continuation
			s.at += bytes.IndexByte(s.Content[s.at:], '\n') + 1
			a.skipBlanks()
			s.fresh = true
		}
		if s.peek(`\`) {
			return a.alignEscape(c)
		}
	}
	if a.is(yaml.SingleQuotedStyle) && s.peek(`''`) {
		if c != '\'' {
			return false
		}
		s.fresh = true
		s.put("'", s.at)
		s.at += 2
		s.fresh = true
		return true
	}
	if (c == ' ' || c == '\n') && a.atFold() {
		return a.alignFold(c, following)
	}
	return a.alignLiteral(c)
}

// alignLiteral locates a character that is written literally.
func (a *align) alignLiteral(c rune) bool {
	s := &a.scan
	r, size := utf8.DecodeRune(s.Content[min(s.at, len(s.Content)):])
	if r != c || size == 0 {
		return false
	}
	s.put(string(c), s.at)
	s.at += size
	return true
}

// atFold reports whether only blanks precede the next line break.
func (a *align) atFold() bool {
	rest := a.scan.Content[a.scan.at:]
	trimmed := bytes.TrimLeft(rest, " \t\r")
	return len(trimmed) > 0 && trimmed[0] == '\n'
}

// alignFold locates the space or line break that joins folded lines.
func (a *align) alignFold(c rune, following string) bool {
	s := &a.scan
	s.fresh = true
	s.put(string(c), s.at)
	s.fresh = true
	if c == '\n' && strings.HasPrefix(following, "\n") {
		return true // the next line break belongs to the same fold
	}
	a.skipBlanks()
	return true
}

// skipBlanks skips blanks and line breaks.
func (a *align) skipBlanks() {
	for a.scan.at < len(a.scan.Content) && strings.IndexByte(" \t\r\n", a.scan.Content[a.scan.at]) >= 0 {
		a.scan.at++
	}
}

// alignBlock locates a character of a literal or folded block.
func (a *align) alignBlock(c rune, following string) bool {
	s := &a.scan
	ends := s.peek("\n") || s.peek("\r\n")
	if !ends || c != '\n' && (c != ' ' || !a.is(yaml.FoldedStyle)) {
		return a.alignLiteral(c)
	}
	s.fresh = true
	s.put(string(c), s.at)
	s.fresh = true
	s.at += bytes.IndexByte(s.Content[s.at:], '\n') + 1
	if a.is(yaml.FoldedStyle) && !strings.HasPrefix(following, "\n") {
		for a.blankLine() {
			s.at += bytes.IndexByte(s.Content[s.at:], '\n') + 1
		}
	}
	if following != "" {
		a.skipIndent()
	}
	return true
}

// blankLine reports whether the line that begins here is empty.
func (a *align) blankLine() bool {
	line, _, ok := bytes.Cut(a.scan.Content[a.scan.at:], []byte("\n"))
	return ok && len(bytes.TrimSpace(line)) == 0
}

// escapes maps the one-letter escapes of a double-quoted scalar to characters.
const escapes = "0\x00a\ab\bt\t\t\tn\nv\vf\fr\re\x1b  \"\"//\\\\N\u0085_\u00a0L\u2028P\u2029"

// alignEscape locates a character that is written as an escape sequence.
func (a *align) alignEscape(c rune) bool {
	s := &a.scan
	start := s.at
	s.at++
	if s.at >= len(s.Content) {
		return false
	}
	kind := s.Content[s.at]
	s.at++
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]; digits > 0 {
		if s.at+digits > len(s.Content) {
			return false
		}
		n, err := strconv.ParseUint(string(s.Content[s.at:s.at+digits]), 16, 32)
		s.at += digits
		if err != nil || rune(n) != c {
			return false
		}
	} else if !strings.Contains(escapes, string(rune(kind))+string(c)) {
		return false
	}
	s.fresh = true
	s.put(string(c), start)
	s.fresh = true
	return true
}

// skipClosing skips the closing quote and returns the end of the scalar.
func (a *align) skipClosing() int {
	s := &a.scan
	switch {
	case a.is(yaml.DoubleQuotedStyle), a.is(yaml.SingleQuotedStyle):
		for s.at < len(s.Content) && strings.IndexByte("\"'", s.Content[s.at]) < 0 {
			s.at++
		}
		return min(s.at+1, len(s.Content))
	case a.block():
		end := s.at
		for end > 0 && strings.IndexByte(" \r\n", s.Content[end-1]) >= 0 {
			end--
		}
		return end
	default:
		return s.at
	}
}
