// Package screen prepares texts for display in a terminal, in a host's log, or in the
// log of a CI system. Texts from servers, commands and specs may contain terminal
// control sequences, have any length, and contain secrets. All such text is displayed
// through Show.
package screen

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Longest is the maximum number of bytes of a text that are shown.
const Longest = 4 << 10

// headShare is the number of bytes that are shown of the beginning of a longer text.
// The end is shown as well, because messages end with the place and the remedy.
const headShare = Longest * 3 / 4

// Text is a text that is safe to display. Only Show creates one, so that functions
// with a Text parameter cannot receive unsafe text.
type Text struct{ shown string }

// String returns the text.
func (t Text) String() string { return t.shown }

// Line returns the text as a single line.
func (t Text) Line() Text { return Text{strings.Join(strings.Fields(t.shown), " ")} }

// Show returns a text that is safe to display: the secrets of hide are replaced (a
// nil mask has none), terminal controls are escaped, and it is truncated to Longest
// bytes. Applying Show again does not change it.
func Show(text string, hide *Mask) Text { return Text{truncate(Visible(hide.maskEnds(text)))} }

// Parts returns a text of many lines as parts that are safe to display. Each part has
// at most Longest bytes and ends at a line break.
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
		parts = append(parts, Text{truncate(rest[:end])})
		rest = rest[end+1:]
	}
	return append(parts, Text{truncate(rest)})
}

// truncate removes the middle of a text that is too long, and inserts the number of
// removed bytes.
func truncate(text string) string {
	if len(text) <= Longest {
		return text
	}
	const note = len(" [… 9223372036854775807 bytes omitted …] ")
	head, tail := unitAround(text, headShare), unitAround(text, len(text)-(Longest-headShare-note))
	if tail.end > tail.start {
		tail.start = tail.end
	}
	return fmt.Sprintf("%s [… %d bytes omitted …] %s", text[:head.start], tail.start-head.start, text[tail.start:])
}

// span is a range of bytes in a text.
type span struct{ start, end int }

// unitAround returns the range around a position that must not be split: a character, a
// mask, or an escape. It returns an empty range if the position is between two of
// them.
func unitAround(text string, at int) span {
	for _, s := range []span{rangeOfWord(text, at, Masked), escapeAt(text, at)} {
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

// rangeOfWord returns the range of an occurrence of a word that contains a position.
func rangeOfWord(text string, at int, word string) span {
	from := max(0, at-len(word)+1)
	if i := strings.Index(text[from:min(len(text), at+len(word)-1)], word); i >= 0 {
		return span{from + i, from + i + len(word)}
	}
	return span{}
}

// escapeAt returns the range of an escape that contains a position.
func escapeAt(text string, at int) span {
	for i := max(0, at-len(`\u0000`)+1); i < at; i++ {
		if n := escapeLength(text[i:]); i+n > at {
			return span{i, i + n}
		}
	}
	return span{}
}

// escapeLength returns the length of the escape, in the form that Visible writes, at
// the beginning of a text, or 0.
func escapeLength(text string) int {
	for _, e := range []struct {
		prefix string
		digits int
	}{{`\u`, 4}, {`\x`, 2}} {
		if n := len(e.prefix) + e.digits; strings.HasPrefix(text, e.prefix) && len(text) >= n && isHex(text[len(e.prefix):n]) {
			return n
		}
	}
	return 0
}
