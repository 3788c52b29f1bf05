// Package screen makes texts fit to be shown: on a terminal, in a host's log, in a
// CI's. What a server, a command or a spec says may steer the terminal that shows it,
// be of any length, and hold secrets. Show is the one way out for all of it.
package screen

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Longest is how many bytes of a text are shown.
const Longest = 4 << 10

// headShare is how much of what is shown of a longer text is its beginning: place and
// remedy stand at the end of a message.
const headShare = Longest * 3 / 4

// Text is a text that can be shown. Only Show makes one, so that whatever takes a
// Text cannot be given anything else.
type Text struct{ shown string }

// String returns the text.
func (t Text) String() string { return t.shown }

// Line returns the text on one line.
func (t Text) Line() Text { return Text{strings.Join(strings.Fields(t.shown), " ")} }

// Show makes a text fit to be shown: without the secrets that hide knows (nil knows
// none), with what would steer a terminal written as an escape, and cut to Longest
// bytes. A text that was shown before stays as it is.
func Show(text string, hide *Mask) Text { return Text{cut(Visible(hide.bounded(text)))} }

// Parts makes a text of many lines fit to be shown, in parts of at most Longest bytes
// that end where a line does.
func Parts(text string, hide *Mask) []Text {
	rest := Visible(hide.Text(text))
	var parts []Text
	for len(rest) > Longest {
		end := strings.LastIndexByte(rest[:Longest], '\n')
		if end < 0 {
			if end = strings.IndexByte(rest, '\n'); end < 0 {
				break
			}
		}
		parts = append(parts, Text{cut(rest[:end])})
		rest = rest[end+1:]
	}
	return append(parts, Text{cut(rest)})
}

// cut takes the middle out of a text that is too long, and says how much that was.
func cut(text string) string {
	if len(text) <= Longest {
		return text
	}
	const note = len(" [… 9223372036854775807 bytes are left out …] ")
	head, tail := whole(text, headShare), whole(text, len(text)-(Longest-headShare-note))
	if tail.end > tail.start {
		tail.start = tail.end
	}
	return fmt.Sprintf("%s [… %d bytes are left out …] %s", text[:head.start], tail.start-head.start, text[tail.start:])
}

// span is a stretch of a text.
type span struct{ start, end int }

// whole returns the stretch around a place that must not be torn apart: a character, a
// mask, or an escape; an empty one at the place where it is between two of them.
func whole(text string, at int) span {
	for _, s := range []span{around(text, at, Masked), escapeAt(text, at)} {
		if s.end > s.start {
			return s
		}
	}
	s := span{at, at}
	for s.start > 0 && !utf8.RuneStart(text[s.start]) {
		s.start--
	}
	for s.end < len(text) && !utf8.RuneStart(text[s.end]) {
		s.end++
	}
	return s
}

// around returns where a word stands that a place is within.
func around(text string, at int, word string) span {
	from := max(0, at-len(word)+1)
	if i := strings.Index(text[from:min(len(text), at+len(word)-1)], word); i >= 0 {
		return span{from + i, from + i + len(word)}
	}
	return span{}
}

// escapeAt returns where an escape stands that a place is within.
func escapeAt(text string, at int) span {
	for i := max(0, at-len(`\u0000`)+1); i < at; i++ {
		if n := escapeLength(text[i:]); i+n > at {
			return span{i, i + n}
		}
	}
	return span{}
}

// escapeLength returns the length of the escape, as Visible writes them, that a text
// begins with; 0 if it does not.
func escapeLength(text string) int {
	for _, e := range []struct {
		prefix string
		digits int
	}{{`\u`, 4}, {`\x`, 2}} {
		if n := len(e.prefix) + e.digits; strings.HasPrefix(text, e.prefix) && len(text) >= n && hexDigits(text[len(e.prefix):n]) {
			return n
		}
	}
	return 0
}
