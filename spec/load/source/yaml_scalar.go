package source

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
)

// text returns a YAML scalar with the position of each character. It aligns the
// decoded text with the source by the rules of the scalar's style. If they do not
// match, the scalar only has a range.
func (r *yamlReader) text(n *yaml.Node) *spec.Node {
	at := r.skipProperties(r.offset(n))
	node := &spec.Node{Kind: spec.StringNode, Text: n.Value, Range: r.src.span(at, at+1)}
	a := &yamlAlign{scan: literalScan{src: r.src, raw: r.src.content, at: at, fresh: true}, style: n.Style}
	if !a.skipOpening() {
		return node
	}
	rest := n.Value
	for rest != "" {
		c, size := utf8.DecodeRuneInString(rest)
		following := rest[size:]
		if !a.alignNext(c, following) {
			return r.wholeText(node, n, at)
		}
		rest = following
	}
	end := a.skipClosing()
	node.Marks = a.scan.marks
	node.Range = r.src.span(at, max(end, at+1))
	return node
}

// wholeText returns a scalar whose range is the rest of its first line, for a scalar
// whose characters could not be located.
func (r *yamlReader) wholeText(node *spec.Node, n *yaml.Node, at int) *spec.Node {
	end := bytes.IndexByte(r.src.content[min(at, len(r.src.content)):], '\n')
	if end < 0 {
		end = len(r.src.content) - at
	}
	node.Range = r.src.span(at, at+max(end, 1))
	return node
}

// skipProperties skips an anchor and a tag before a scalar.
func (r *yamlReader) skipProperties(at int) int {
	for at < len(r.src.content) && (r.src.content[at] == '&' || r.src.content[at] == '!') {
		n := bytes.IndexAny(r.src.content[at:], " \t\r\n")
		if n < 0 {
			return at
		}
		at += n
		for at < len(r.src.content) && strings.IndexByte(" \t\r\n", r.src.content[at]) >= 0 {
			at++
		}
	}
	return at
}

// yamlAlign aligns the source of a scalar with its decoded text.
type yamlAlign struct {
	scan   literalScan
	style  yaml.Style
	indent int // of the lines of a block
}

func (a *yamlAlign) is(s yaml.Style) bool { return a.style&s != 0 }

func (a *yamlAlign) block() bool { return a.is(yaml.LiteralStyle) || a.is(yaml.FoldedStyle) }

// skipOpening skips the opening quote or the header of a block.
func (a *yamlAlign) skipOpening() bool {
	s := &a.scan
	switch {
	case a.is(yaml.DoubleQuotedStyle):
		return a.take(`"`)
	case a.is(yaml.SingleQuotedStyle):
		return a.take(`'`)
	case a.block():
		line := s.raw[s.at:]
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

func (a *yamlAlign) take(quote string) bool {
	if !a.scan.peek(quote) {
		return false
	}
	a.scan.at++
	return true
}

// findIndent determines the indentation of a block from its first line that is not
// empty, and skips the indentation of the first line.
func (a *yamlAlign) findIndent() bool {
	for line := range bytes.Lines(a.scan.raw[a.scan.at:]) {
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

func (a *yamlAlign) skipIndent() {
	for n := 0; n < a.indent && a.scan.peek(" "); n++ {
		a.scan.at++
	}
}

// alignNext locates one decoded character. following is the text after it.
func (a *yamlAlign) alignNext(c rune, following string) bool {
	s := &a.scan
	if a.block() {
		return a.alignBlock(c, following)
	}
	if a.is(yaml.DoubleQuotedStyle) {
		for s.peek("\\\n") || s.peek("\\\r\n") { // a line continuation
			s.at += bytes.IndexByte(s.raw[s.at:], '\n') + 1
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
func (a *yamlAlign) alignLiteral(c rune) bool {
	s := &a.scan
	r, size := utf8.DecodeRune(s.raw[min(s.at, len(s.raw)):])
	if r != c || size == 0 {
		return false
	}
	s.put(string(c), s.at)
	s.at += size
	return true
}

// atFold reports whether only blanks precede the next line break.
func (a *yamlAlign) atFold() bool {
	rest := a.scan.raw[a.scan.at:]
	trimmed := bytes.TrimLeft(rest, " \t\r")
	return len(trimmed) > 0 && trimmed[0] == '\n'
}

// alignFold locates the space or line break that joins folded lines.
func (a *yamlAlign) alignFold(c rune, following string) bool {
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
func (a *yamlAlign) skipBlanks() {
	for a.scan.at < len(a.scan.raw) && strings.IndexByte(" \t\r\n", a.scan.raw[a.scan.at]) >= 0 {
		a.scan.at++
	}
}

// alignBlock locates a character of a literal or folded block.
func (a *yamlAlign) alignBlock(c rune, following string) bool {
	s := &a.scan
	ends := s.peek("\n") || s.peek("\r\n")
	if !ends || c != '\n' && (c != ' ' || !a.is(yaml.FoldedStyle)) {
		return a.alignLiteral(c)
	}
	s.fresh = true
	s.put(string(c), s.at)
	s.fresh = true
	s.at += bytes.IndexByte(s.raw[s.at:], '\n') + 1
	if a.is(yaml.FoldedStyle) && !strings.HasPrefix(following, "\n") {
		for a.blankLine() {
			s.at += bytes.IndexByte(s.raw[s.at:], '\n') + 1
		}
	}
	if following != "" {
		a.skipIndent()
	}
	return true
}

// blankLine reports whether the line that begins here is empty.
func (a *yamlAlign) blankLine() bool {
	line, _, ok := bytes.Cut(a.scan.raw[a.scan.at:], []byte("\n"))
	return ok && len(bytes.TrimSpace(line)) == 0
}

// yamlEscapes maps the one-letter escapes of a double-quoted scalar to characters.
const yamlEscapes = "0\x00a\ab\bt\t\t\tn\nv\vf\fr\re\x1b  \"\"//\\\\N\u0085_\u00a0L\u2028P\u2029"

// alignEscape locates a character that is written as an escape sequence.
func (a *yamlAlign) alignEscape(c rune) bool {
	s := &a.scan
	start := s.at
	s.at++
	if s.at >= len(s.raw) {
		return false
	}
	kind := s.raw[s.at]
	s.at++
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]; digits > 0 {
		if s.at+digits > len(s.raw) {
			return false
		}
		n, err := strconv.ParseUint(string(s.raw[s.at:s.at+digits]), 16, 32)
		s.at += digits
		if err != nil || rune(n) != c {
			return false
		}
	} else if !strings.Contains(yamlEscapes, string(rune(kind))+string(c)) {
		return false
	}
	s.fresh = true
	s.put(string(c), start)
	s.fresh = true
	return true
}

// skipClosing skips the closing quote and returns the end of the scalar.
func (a *yamlAlign) skipClosing() int {
	s := &a.scan
	switch {
	case a.is(yaml.DoubleQuotedStyle), a.is(yaml.SingleQuotedStyle):
		for s.at < len(s.raw) && strings.IndexByte("\"'", s.raw[s.at]) < 0 {
			s.at++
		}
		return min(s.at+1, len(s.raw))
	case a.block():
		end := s.at
		for end > 0 && strings.IndexByte(" \r\n", s.raw[end-1]) >= 0 {
			end--
		}
		return end
	default:
		return s.at
	}
}
