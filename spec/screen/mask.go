package screen

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Masked is the replacement for a secret.
const Masked = "[secret]"

// shortestMasked is the minimum length of a secret that is masked in text. Masking
// shorter ones would make texts unreadable, and they could be guessed anyway.
const shortestMasked = 4

// Mask removes secrets from texts, in any form in which they may appear. It is safe
// for concurrent use. A nil Mask has no secrets.
type Mask struct {
	// parent is a mask with further secrets, or nil.
	parent *Mask
	known  map[string]bool
	// find creates the finder on first use, because most calls succeed and print
	// nothing.
	find func() *finder
}

// NewMask returns a mask for these secrets.
func NewMask(secrets []string) *Mask { return (*Mask)(nil).With(secrets) }

// With returns a mask that also hides further secrets. It returns m if m already
// hides them. The forms of the secrets in m are shared, so that the secrets of the
// configuration add no cost to each call.
func (m *Mask) With(secrets []string) *Mask {
	var more []string
	var known map[string]bool
	for _, s := range secrets {
		if known[s] || m.Is(s) || utf8.RuneCountInString(s) < shortestMasked {
			continue
		}
		if known == nil {
			known = make(map[string]bool, len(secrets))
		}
		known[s] = true
		more = append(more, s)
	}
	if more == nil {
		return m
	}
	return &Mask{parent: m, known: known, find: sync.OnceValue(func() *finder { return newFinder(more) })}
}

// finders returns the finders of m and of the masks under it.
func (m *Mask) finders() finders {
	var all finders
	for ; m != nil; m = m.parent {
		all = append(all, m.find())
	}
	return all
}

// Text returns text with the secrets replaced.
func (m *Mask) Text(text string) string {
	if m == nil {
		return text
	}
	all := m.finders()
	found := all.spans(text)
	if cut := all.cutSecrets(text); cut != nil {
		found = mergeSpans(text, append(found, cut...))
	}
	if found == nil {
		return text
	}
	var b strings.Builder
	end := 0
	for _, s := range found {
		b.WriteString(text[end:s.start])
		b.WriteString(Masked)
		end = s.end
	}
	b.WriteString(text[end:])
	return b.String()
}

// cutMark marks the position of text that was removed before secrets were known.
const cutMark = "…"

// shortestPart is the minimum length of the beginning of a secret that is masked anywhere. Shorter ones may be common, such as
// "https://" and "Bearer ", and are masked before the sign of a cut.
const shortestPart = 16

// cutSecrets returns the beginnings of secrets that precede a cut mark.
func (all finders) cutSecrets(text string) []span {
	var found []span
	for at := strings.Index(text, cutMark); at >= 0 && at < len(text); {
		if n := all.unfinishedLength(text[:at]); n >= startLength {
			found = append(found, span{at - n, at})
		}
		more := strings.Index(text[at+len(cutMark):], cutMark)
		if more < 0 {
			break
		}
		at += len(cutMark) + more
	}
	return found
}

// mostSearched is the maximum length of either end of a text that is searched for
// secrets. The rest is never shown.
const mostSearched = 512 << 10

// maskEnds is like Text, but omits the middle of a long text, which is not shown. No
// part of a secret remains at the edges.
func (m *Mask) maskEnds(text string) string {
	if len(text) <= 2*mostSearched {
		return m.Text(text)
	}
	head, tail := text[:mostSearched], text[len(text)-mostSearched:]
	if m != nil {
		head = head[:len(head)-m.Unfinished(head)]
		tail = tail[min(len(tail), m.finders().reach()):]
	}
	// The spaces that replace the middle keep the count of omitted bytes correct.
	return m.Text(head) + strings.Repeat(" ", len(text)-len(head)-len(tail)) + m.Text(tail)
}

// Is reports whether a text is a secret.
func (m *Mask) Is(text string) bool {
	for ; m != nil; m = m.parent {
		if m.known[text] {
			return true
		}
	}
	return false
}

// shortestHeld is the minimum length of a secret that makes a text secret which
// contains it. Shorter secrets may be words that occur in many texts.
const shortestHeld = 8

// Holds reports whether a text is or contains a secret, in any form and case. An
// example is the output of a command that prints its input.
func (m *Mask) Holds(text string) bool {
	if m == nil {
		return false
	}
	return m.Is(text) || m.finders().holds(text)
}

// Unfinished returns the number of bytes at the end of a text that may be the
// beginning of a secret.
func (m *Mask) Unfinished(text string) int {
	if m == nil {
		return 0
	}
	return m.finders().unfinishedLength(text)
}

// maskedError is an error whose text contains no secrets.
type maskedError struct {
	err  error
	text string
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }

// Error returns an error with the secrets in its text replaced.
func (m *Mask) Error(err error) error {
	if err == nil || m == nil {
		return err
	}
	if text := m.Text(err.Error()); text != err.Error() {
		return &maskedError{err: err, text: text}
	}
	return err
}

// mergeSpans joins spans that touch or overlap, and drops spans within an existing mask.
func mergeSpans(text string, found []span) []span {
	if found == nil {
		return nil
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return a.start < b.start || a.start == b.start && a.end > b.end
	})
	var out []span
	for _, s := range found {
		if isMasked(text, s) {
			continue
		}
		if last := len(out) - 1; last >= 0 && s.start <= out[last].end {
			out[last].end = max(out[last].end, s.end)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// isMasked reports whether a span is part of an existing mask.
func isMasked(text string, s span) bool {
	if s.end-s.start > len(Masked) {
		return false
	}
	from, to := max(0, s.end-len(Masked)), min(len(text), s.start+len(Masked))
	return strings.Contains(text[from:to], Masked)
}
