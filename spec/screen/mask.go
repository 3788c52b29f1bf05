package screen

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Masked is what stands where a secret was.
const Masked = "[secret]"

// shortestMasked is the length from which a secret is masked in text: shorter
// ones would tear every sentence apart and still be guessable.
const shortestMasked = 4

// Mask takes secrets out of texts, in whatever form they come back. It is safe for
// concurrent use; nil knows no secrets.
type Mask struct {
	// under knows further secrets; nil where there are none.
	under *Mask
	known map[string]bool
	// find is made when it is first needed: most calls go well, and say nothing.
	find func() *finder
}

// NewMask returns the mask of these secrets.
func NewMask(secrets []string) *Mask { return (*Mask)(nil).With(secrets) }

// With returns a mask that hides further secrets too: m itself if it hides them
// already. The forms of those that m hides are not made again, so the secrets of
// the configuration cost each call nothing.
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
	return &Mask{under: m, known: known, find: sync.OnceValue(func() *finder { return newFinder(more) })}
}

// finders are those of the secrets of m and of what is under it.
func (m *Mask) finders() finders {
	var all finders
	for ; m != nil; m = m.under {
		all = append(all, m.find())
	}
	return all
}

// Text returns a text without the secrets, and with all that stands around them.
func (m *Mask) Text(text string) string {
	if m == nil {
		return text
	}
	all := m.finders()
	found := all.spans(text)
	if cut := all.cut(text); cut != nil {
		found = merged(text, append(found, cut...))
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

// cutMark stands where something was cut off, before it was known to be secret.
const cutMark = "…"

// cut returns where the beginning of a secret stands at a place at which the rest of it
// was cut off.
func (all finders) cut(text string) []span {
	var found []span
	for at := strings.Index(text, cutMark); at >= 0 && at < len(text); {
		if n := all.unfinished(text[:at]); n >= startLength {
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

// mostSearched is how much of either end of a text is searched for secrets. The rest
// is far from what is shown.
const mostSearched = 512 << 10

// bounded is Text, and without the middle of a text of which the middle is not shown.
// No half of a secret is left where that begins and ends.
func (m *Mask) bounded(text string) string {
	if len(text) <= 2*mostSearched {
		return m.Text(text)
	}
	head, tail := text[:mostSearched], text[len(text)-mostSearched:]
	if m != nil {
		head = head[:len(head)-m.Unfinished(head)]
		tail = tail[min(len(tail), m.finders().reach()):]
	}
	// What stands for the middle only keeps the count of what is left out right.
	return m.Text(head) + strings.Repeat(" ", len(text)-len(head)-len(tail)) + m.Text(tail)
}

// Is reports whether a text is a secret.
func (m *Mask) Is(text string) bool {
	for ; m != nil; m = m.under {
		if m.known[text] {
			return true
		}
	}
	return false
}

// shortestHeld is the length from which a secret makes a whole text secret that
// it stands in: shorter ones are words, and stand in many.
const shortestHeld = 8

// Holds reports whether a text is a secret, or has one in it in whatever form and case,
// such as the output of a command that shows what it was given.
func (m *Mask) Holds(text string) bool {
	if m == nil {
		return false
	}
	return m.Is(text) || m.finders().holds(text)
}

// Unfinished returns how many bytes at the end of a text may be the beginning of a
// secret, as far as can be told before the rest of it comes.
func (m *Mask) Unfinished(text string) int {
	if m == nil {
		return 0
	}
	return m.finders().unfinished(text)
}

// maskedError shows its error without secrets.
type maskedError struct {
	err  error
	text string
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }

// Error returns an error without secrets in its text.
func (m *Mask) Error(err error) error {
	if err == nil || m == nil {
		return err
	}
	if text := m.Text(err.Error()); text != err.Error() {
		return &maskedError{err: err, text: text}
	}
	return err
}

// merged joins stretches that touch or overlap, and leaves out those within a mask that
// is there already.
func merged(text string, found []span) []span {
	if found == nil {
		return nil
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return a.start < b.start || a.start == b.start && a.end > b.end
	})
	var out []span
	for _, s := range found {
		if within(text, s) {
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

// within reports whether a stretch is of a mask.
func within(text string, s span) bool {
	if s.end-s.start > len(Masked) {
		return false
	}
	from, to := max(0, s.end-len(Masked)), min(len(text), s.start+len(Masked))
	return strings.Contains(text[from:to], Masked)
}
