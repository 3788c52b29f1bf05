package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// markup is how a colour tag of Pulumi's begins, and markupShown how that is shown:
// Pulumi drops a tag that does not end, with all that follows, and panics at one that
// it does not know.
const (
	markup      = "<{%"
	markupShown = `\u003c{%`
)

// Visible returns a text in which everything that would do something other than be
// drawn (control and C1 characters, marks that turn the direction of text, invisible
// characters, Pulumi's colour tags) is written as JSON would escape it, so that JSON
// stays what it says. Bytes that are not UTF-8 are written as \xNN. Line ends and tabs
// stay.
func Visible(text string) string {
	at := steering(text, false)
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
		at = steering(text, false)
	}
	b.WriteString(text)
	return b.String()
}

// Steers reports whether a character does something other than be drawn. Line ends
// and tabs do.
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
		return true // invisible, or of use to a layout only
	default:
		return r >= 0xe0000 && r <= 0xe0fff // tags: a text within the text that nobody sees
	}
}

// Escape returns how Visible shows a character; first is its first byte.
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

// Steering returns where the first character of a text is that must not be shown as it
// is on one line, a line end and a tab among them; the text's length if there is none.
func Steering(text string) int { return steering(text, true) }

// Step returns how many bytes the character takes, or the beginning of a tag, that a text
// begins with.
func Step(text string) int {
	if strings.HasPrefix(text, markup) {
		return len(markup)
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// steering returns where the first character of a text is that must not be shown as it
// is; the text's length if there is none. Only a line that stays one has no line ends and
// tabs.
func steering(text string, line bool) int {
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

// Exact returns a text as Visible does, with line ends and tabs written as escapes, too:
// for what stands on a line of a list, where a line end would begin another entry.
func Exact(text string) string {
	if !strings.ContainsAny(text, "\n\t") {
		return Visible(text)
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(Visible(text))
}
