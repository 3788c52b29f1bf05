package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// markup is the beginning of Pulumi's color tags, and markupShown its escaped form.
// Pulumi drops a tag without an end together with all following text, and panics at
// an unknown tag.
const (
	markup      = "<{%"
	markupShown = `\u003c{%`
)

// Visible returns a text in which characters that are not simply displayed are
// escaped as in JSON, so that JSON keeps its meaning. These are control and C1
// characters, direction marks, invisible characters, and Pulumi's color tags. Bytes
// that are not UTF-8 are written as \xNN. Line breaks and tabs are kept.
func Visible(text string) string {
	at := steeringIndex(text, false)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	for at < len(text) {
		b.WriteString(text[:at])
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == '<':
			n = len(markup)
			b.WriteString(markupShown)
		case strings.HasPrefix(text[at:], "\r\n"):
		default:
			b.WriteString(Escape(r, text[at]))
		}
		text = text[at+n:]
		at = steeringIndex(text, false)
	}
	b.WriteString(text)
	return b.String()
}

// Steers reports whether a character is not simply displayed. This includes line
// breaks and tabs.
func Steers(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r < 0xad:
		return r < 0xa0
	}
	switch {
	case unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
		return true
	case r == '\u180e', r == '\u200b', r == '\ufeff', r >= '\u2060' && r <= '\u206f', r >= '\ufff9' && r <= '\ufffb':
		return true // invisible, or only for layout
	default:
		return r >= 0xe0000 && r <= 0xe0fff // tag characters, which form invisible text
	}
}

// Escape returns the escaped form of a character, as Visible writes it. first is the
// first byte of the character.
func Escape(r rune, first byte) string {
	switch {
	case r == utf8.RuneError:
		return fmt.Sprintf(`\x%02x`, first)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

// SteeringIndex returns the position of the first character that must be escaped in a
// single line, including line breaks and tabs. It returns the length of the text if
// there is none.
func SteeringIndex(text string) int { return steeringIndex(text, true) }

// Step returns the length in bytes of the character, or of the beginning of a tag, at
// the start of a text.
func Step(text string) int {
	if strings.HasPrefix(text, markup) {
		return len(markup)
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// steeringIndex returns the position of the first character that must be escaped, or the
// length of the text if there is none. If line is true, line breaks and tabs must be
// escaped.
func steeringIndex(text string, line bool) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && (line || c != '\n' && c != '\t') || c == 0x7f || c == '<' && strings.HasPrefix(text[i:], markup) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 || Steers(r) {
			return i
		}
		i += n
	}
	return len(text)
}

// Exact is like Visible, but also escapes line breaks and tabs. It is for entries of
// lists, in which a line break would begin another entry.
func Exact(text string) string {
	if !strings.ContainsAny(text, "\n\t") {
		return Visible(text)
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(Visible(text))
}
