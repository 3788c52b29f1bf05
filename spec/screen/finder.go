package screen

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// longestEscape is how many bytes may stand for one of a secret: a percent sign of a
// byte, escaped twice, within JSON.
const longestEscape = 24

// shortestSqueezed is the length from which a secret is found that control characters
// or line ends tear apart.
const shortestSqueezed = 8

// pattern is a form of a secret.
type pattern struct {
	text   string // in one case
	length int    // of what it was made of
}

// finder finds secrets in texts, in all their forms.
type finder struct {
	patterns []pattern
	// byStart are the patterns that begin with the same bytes, longest first; starts
	// has a bit for each, so that few of a text's places are looked up.
	byStart map[uint32][]int32
	starts  [1 << (startBits - 6)]uint64
	longest int
}

const (
	startBits   = 14
	startLength = 4
)

// startOf returns the first bytes of a text, of which it has enough.
func startOf(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func bitOf(start uint32) uint32 { return start * 2654435761 >> (32 - startBits) }

func newFinder(secrets []string) *finder {
	f := &finder{byStart: map[uint32][]int32{}}
	for _, s := range secrets {
		for _, p := range pieces(s) {
			f.add(p)
		}
	}
	sort.Slice(f.patterns, func(i, j int) bool {
		a, b := f.patterns[i], f.patterns[j]
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text), cmp.Compare(b.length, a.length)) < 0
	})
	f.patterns = slices.CompactFunc(f.patterns, func(a, b pattern) bool { return a.text == b.text })
	for i, p := range f.patterns {
		start := startOf(p.text)
		bit := bitOf(start)
		f.starts[bit/64] |= 1 << (bit % 64)
		f.byStart[start] = append(f.byStart[start], int32(i))
		f.longest = max(f.longest, len(p.text))
	}
	return f
}

// add adds the patterns of a secret, or of a piece of one.
func (f *finder) add(secret string) {
	all := forms(secret)
	if n := incomplete(secret); n < len(secret) && n >= shortestHeld {
		all = append(all, secret[:n]) // what follows may make an escape of the end
	}
	for _, form := range all {
		for _, as := range undone(form) {
			if text := fold(as).text; len(text) >= startLength {
				f.patterns = append(f.patterns, pattern{text: text, length: len(form)})
			}
		}
	}
}

// longestPiece is how much of a long secret, such as a file, is looked for at once: all
// pieces of it are found one by one.
const longestPiece = 2 << 10

func pieces(secret string) []string {
	var all []string
	for len(secret) > 2*longestPiece {
		end := longestPiece
		for end > 0 && !utf8.RuneStart(secret[end]) {
			end--
		}
		if end == 0 {
			break // it is not text
		}
		all = append(all, secret[:end])
		secret = secret[end:]
	}
	return append(all, secret)
}

// chunk is how much of a text is searched at once: what becomes of it while escapes
// are undone takes many times its size.
const chunk = 256 << 10

// finders find the secrets of several masks at once.
type finders []*finder

// reach returns how far the longest secret may reach in a text.
func (all finders) reach() int {
	longest := 0
	for _, f := range all {
		longest = max(longest, f.longest)
	}
	return longest * longestEscape
}

// spans returns where secrets stand in a text, in its order.
func (all finders) spans(text string) []span {
	var found []span
	for start := 0; start == 0 || start < len(text); start += chunk {
		for _, s := range all.spansIn(text[start:min(len(text), start+chunk+all.reach())]) {
			found = append(found, span{start + s.start, start + s.end})
		}
	}
	return merged(text, found)
}

func (all finders) spansIn(text string) []span {
	var found []span
	undone, squeezed := levels(text)
	for i := range undone {
		l := &undone[i]
		shortest := 0
		if squeezed && i == len(undone)-1 {
			shortest = shortestSqueezed
		}
		in := fold(l.text)
		for _, f := range all {
			end := 0
			for at := 0; at+startLength <= len(in.text); at++ {
				if n := f.longestAt(in.text, at, end-at, shortest); n > 0 {
					end = at + n
					from, to := in.span(at, end, len(l.text))
					found = append(found, l.span(from, to))
				}
			}
		}
	}
	return found
}

// longestAt returns the length of the longest pattern at a place that is longer than
// some and has a length; 0 if there is none.
func (f *finder) longestAt(text string, at, longer, shortest int) int {
	start := startOf(text[at:])
	if bit := bitOf(start); f.starts[bit/64]&(1<<(bit%64)) == 0 {
		return 0
	}
	for _, i := range f.byStart[start] {
		p := f.patterns[i].text
		if len(p) <= longer || len(p) < shortest {
			return 0
		}
		if strings.HasPrefix(text[at:], p) {
			return len(p)
		}
	}
	return 0
}

// holds reports whether a text has a secret in it that is long enough.
func (all finders) holds(text string) bool {
	if len(text) < shortestHeld {
		return false
	}
	if !strings.ContainsAny(text, escapeStarts) && Steering(text) == len(text) {
		return all.holdsIn(text) // most are so
	}
	for start := 0; start == 0 || start < len(text); start += chunk {
		undone, _ := levels(text[start:min(len(text), start+chunk+all.reach())])
		if slices.ContainsFunc(undone, func(l level) bool { return all.holdsIn(l.text) }) {
			return true
		}
	}
	return false
}

func (all finders) holdsIn(text string) bool {
	in := fold(text).text
	return slices.ContainsFunc(all, func(f *finder) bool { return f.holdsIn(in) })
}

func (f *finder) holdsIn(text string) bool {
	for at := 0; at+startLength <= len(text); at++ {
		start := startOf(text[at:])
		if bit := bitOf(start); f.starts[bit/64]&(1<<(bit%64)) == 0 {
			continue
		}
		for _, i := range f.byStart[start] {
			p := &f.patterns[i]
			if p.length >= shortestHeld && len(p.text) >= shortestHeld && strings.HasPrefix(text[at:], p.text) {
				return true
			}
		}
	}
	return false
}

// unfinished returns how many bytes at the end of a text are the beginning of a form.
// A character or an escape that is not complete may be part of it.
func (all finders) unfinished(text string) int {
	tail := text[max(0, len(text)-all.reach()):]
	most := 0
	undone, squeezed := levels(tail)
	for i := range undone {
		l := &undone[i]
		first := len(l.text)
		if squeezed && i == len(undone)-1 {
			first = all.beginsIn(l.text, shortestSqueezed)
		} else {
			for cut := len(l.text); ; {
				first = min(first, cut, all.beginsIn(l.text[:cut], 1))
				shorter := incomplete(l.text[:cut])
				if shorter == cut {
					break
				}
				cut = shorter
			}
		}
		if first < len(l.text) {
			most = max(most, len(tail)-l.span(first, len(l.text)).start)
		}
	}
	return most
}

// beginsIn is beginsAt for a text in its own case.
func (all finders) beginsIn(text string, shortest int) int {
	in := fold(text)
	first := len(in.text)
	for _, f := range all {
		first = min(first, f.beginsAt(in.text, shortest))
	}
	if first == len(in.text) {
		return len(text)
	}
	from, _ := in.span(first, len(in.text), len(text))
	return from
}

// incompleteEscape is the beginning of an escape, or of a sequence that colours a
// terminal, at a text's end. It is compiled when it is first needed: each start of a
// provider would pay for it.
var incompleteEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(%([0-9a-f]|u[0-9a-f]{0,3})?|\\(u\{?[0-9a-f]{0,7}|x[0-9a-f]?|[0-3][0-7]?)?|&[#a-z0-9]{0,31}|\x1b(\[[0-9;]*)?)$`)
})

// incomplete returns where the beginning of an escape or of a character stands at a
// text's end; the text's length if there is none.
func incomplete(text string) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return i
			}
			break
		}
	}
	from := max(0, len(text)-longestEntity)
	if !strings.ContainsAny(text[from:], "%\\&\x1b") {
		return len(text)
	}
	if at := incompleteEscape().FindStringIndex(text[from:]); at != nil {
		return from + at[0]
	}
	return len(text)
}

// beginsAt returns where at the end of a text the beginning of a pattern stands, the
// longest there is; the text's length if there is none that is long enough.
func (f *finder) beginsAt(text string, shortest int) int {
	first := len(text)
	for i := range f.patterns {
		p := f.patterns[i].text
		for n := min(len(p)-1, len(text)); len(text)-n < first && n >= shortest; n-- {
			if s := text[len(text)-n:]; s[0] == p[0] && s == p[:n] {
				first = len(text) - n
				break
			}
		}
	}
	return first
}
