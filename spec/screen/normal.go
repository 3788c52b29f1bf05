package screen

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/lists"
)

// mostLevels is the maximum number of times that escapes are removed. Percent escapes
// in JSON in JSON require three.
const mostLevels = 4

// level is a text after escapes were removed a number of times. Byte i of it comes
// from the bytes from[i] to to[i] of the original text. Both are nil if no escape was
// removed.
type level struct {
	text     string
	from, to []int32
}

func (l *level) span(start, end int) span {
	if l.from == nil {
		return span{start, end}
	}
	return span{int(l.from[start]), int(l.to[end-1])}
}

// unescapeLevels returns a text, and the texts that result from repeatedly removing escapes.
// squeezed reports whether invisible characters were removed from the last one.
func unescapeLevels(text string) (all []level, squeezed bool) {
	all = []level{{text: text}}
	for len(all) <= mostLevels {
		next, changed := unescape(&all[len(all)-1])
		if !changed {
			break
		}
		all = append(all, next)
	}
	next, squeezed := squeeze(&all[len(all)-1])
	if squeezed {
		all = append(all, next)
	}
	return all, squeezed
}

// unescapedForms returns a secret, and the texts that result from repeatedly removing escapes
// from it, as from the text that contains it.
func unescapedForms(secret string) []string {
	all, _ := unescapeLevels(secret)
	return lists.Map(all, func(l level) string { return l.text })
}

// writer builds the next level.
type writer struct {
	under    *level
	text     []byte
	from, to []int32
}

func newWriter(under *level) *writer {
	n := len(under.text)
	return &writer{under: under, text: make([]byte, 0, n), from: make([]int32, 0, n), to: make([]int32, 0, n)}
}

// put appends text that replaces a span of the previous level.
func (w *writer) put(text string, from, to int) {
	s := w.under.span(from, to)
	w.text = append(w.text, text...)
	for range len(text) {
		w.from, w.to = append(w.from, int32(s.start)), append(w.to, int32(s.end))
	}
}

// keep appends a span of the previous level unchanged.
func (w *writer) keep(from, to int) {
	w.text = append(w.text, w.under.text[from:to]...)
	if w.under.from != nil {
		w.from, w.to = append(w.from, w.under.from[from:to]...), append(w.to, w.under.to[from:to]...)
		return
	}
	for at := from; at < to; at++ {
		w.from, w.to = append(w.from, int32(at)), append(w.to, int32(at+1))
	}
}

func (w *writer) level() level { return level{text: string(w.text), from: w.from, to: w.to} }

// escapeStarts are the first bytes of escapes.
const escapeStarts = `%\&+`

// unescape removes the escapes of URLs, of JSON and most programming languages, and
// of HTML, once.
func unescape(l *level) (next level, changed bool) {
	var w *writer
	kept := 0
	for i := strings.IndexAny(l.text, escapeStarts); i >= 0 && i < len(l.text); {
		text, n := decodeEscape(l.text[i:])
		if n == 0 {
			n = 1
		} else {
			if w == nil {
				w = newWriter(l)
			}
			w.keep(kept, i)
			w.put(text, i, i+n)
			kept = i + n
		}
		i += n
		more := strings.IndexAny(l.text[i:], escapeStarts)
		if more < 0 {
			break
		}
		i += more
	}
	if w == nil {
		return level{}, false
	}
	w.keep(kept, len(l.text))
	return w.level(), true
}

// decodeEscape returns the decoded text and the length of the escape at the beginning of s.
// The length is 0 if there is none.
func decodeEscape(s string) (string, int) {
	switch s[0] {
	case '+':
		return " ", 1
	case '%':
		return decodePercent(s)
	case '&':
		return decodeEntity(s)
	case '\\':
		return decodeBackslash(s)
	default:
		return "", 0
	}
}

func decodePercent(s string) (string, int) {
	if len(s) > 1 && (s[1] == 'u' || s[1] == 'U') {
		return decodeUnit(s, 2, 4)
	}
	return decodeByte(s, 1, 2, 16)
}

// longestEntity is the maximum length of an HTML entity.
const longestEntity = 33

func decodeEntity(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), longestEntity)], ';') + 1
	if end == 0 {
		return "", 0
	}
	name := s[:end]
	if text := html.UnescapeString(name); text != name {
		return text, end
	}
	if text := html.UnescapeString(strings.ToLower(name)); text != strings.ToLower(name) {
		return text, end // the entity was written in another case
	}
	return "", 0
}

func decodeBackslash(s string) (string, int) {
	if len(s) < 2 {
		return "", 0
	}
	switch c := s[1]; {
	case c == 'u' && len(s) > 2 && s[2] == '{':
		end := strings.IndexByte(s[:min(len(s), len(`\u{10ffff}`))], '}')
		if end < 0 {
			return "", 0
		}
		if text, n := decodeUnit(s[:end], 3, end-3); n > 0 {
			return text, end + 1
		}
		return "", 0
	case c == 'u':
		return decodeUnit(s, 2, 4)
	case c == 'U':
		return decodeUnit(s, 2, 8)
	case c == 'x':
		return decodeByte(s, 2, 2, 16)
	case c >= '0' && c <= '3':
		return decodeByte(s, 1, 3, 8)
	case c < utf8.RuneSelf && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9'):
		return s[1:2], 2
	default:
		if i := strings.IndexByte("abefnrtv", c); i >= 0 {
			return "\a\b\x1b\f\n\r\t\v"[i : i+1], 2
		}
		return "", 0
	}
}

// decodeUnit returns the character whose hexadecimal code begins at a position, including
// the second half of a surrogate pair.
func decodeUnit(s string, at, digits int) (string, int) {
	if len(s) < at+digits || !isHex(s[at:at+digits]) {
		return "", 0
	}
	code, err := strconv.ParseUint(s[at:at+digits], 16, 32)
	if err != nil || code > unicode.MaxRune {
		return "", 0
	}
	n := at + digits
	if high := rune(code); utf16.IsSurrogate(high) && len(s) >= 2*n && strings.EqualFold(s[n:n+at], s[:at]) && isHex(s[n+at:2*n]) {
		if low, err := strconv.ParseUint(s[n+at:2*n], 16, 32); err == nil {
			if r := utf16.DecodeRune(high, rune(low)); r != utf8.RuneError {
				return string(r), 2 * n
			}
		}
	}
	return string(rune(code)), n
}

func decodeByte(s string, at, digits, base int) (string, int) {
	if len(s) < at+digits || !isHex(s[at:at+digits]) {
		return "", 0
	}
	code, err := strconv.ParseUint(s[at:at+digits], base, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(code)}), at + digits
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// squeeze removes characters that are not displayed, such as line breaks in base64
// and color sequences in the output of a command.
func squeeze(l *level) (next level, changed bool) {
	if SteeringIndex(l.text) == len(l.text) {
		return level{}, false
	}
	w := newWriter(l)
	kept := 0
	for i := 0; i < len(l.text); {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		sequence := controlSequence(l.text[i:])
		if sequence > 0 {
			n = sequence
		}
		if sequence > 0 || Steers(r) {
			w.keep(kept, i)
			kept = i + n
			changed = true
		}
		i += n
	}
	w.keep(kept, len(l.text))
	return w.level(), changed
}

// controlSequence returns the length of the terminal control sequence at the
// beginning of s (ECMA-48, 5.4), or 0.
func controlSequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		if s[i] >= '@' && s[i] <= '~' {
			return i + 1
		}
		if s[i] < ' ' || s[i] > '~' {
			return 0
		}
	}
	return 0
}

// foldedText is a level with case folded.
type foldedText struct {
	text string
	// at maps each byte to its position in the level. It is nil if the positions are
	// equal.
	at []int32
}

func (f *foldedText) span(start, end int, levelLength int) (int, int) {
	if f.at == nil {
		return start, end
	}
	if end == len(f.at) {
		return int(f.at[start]), levelLength
	}
	return int(f.at[start]), int(f.at[end])
}

// foldCase returns a text with case folded. A byte that is not UTF-8 is treated as
// Latin-1.
func foldCase(text string) foldedText {
	if isASCII(text) {
		return foldedText{text: strings.ToLower(text)}
	}
	out, at := make([]byte, 0, len(text)), make([]int32, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			r = rune(text[i])
		}
		before := len(out)
		out = utf8.AppendRune(out, unicode.ToLower(unicode.ToUpper(r)))
		for range len(out) - before {
			at = append(at, int32(i))
		}
		i += n
	}
	return foldedText{text: string(out), at: at}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
