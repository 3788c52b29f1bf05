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

// longestEscape is the maximum number of bytes that encode one byte of a secret: a
// percent escape, escaped twice, in JSON.
const longestEscape = 24

// shortestSqueezed is the minimum length of a secret for it to be found if control
// characters or line breaks interrupt it.
const shortestSqueezed = 8

// pattern is one form of a secret.
type pattern struct {
	text   string // with case folded
	length int    // length of the secret or piece
}

// finder finds secrets, in all their forms, in texts.
type finder struct {
	patterns []pattern
	// byStart maps the first bytes of patterns to the patterns, longest first. starts
	// is a bit set of the keys, so that most positions of a text need no look-up.
	byStart map[uint32][]int32
	starts  [1 << (startBits - 6)]uint64
	longest int
}

const (
	startBits   = 14
	startLength = 4
)

// startOf returns the first bytes of a text, which must be long enough.
func startOf(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func bitOf(start uint32) uint32 { return start * 2654435761 >> (32 - startBits) }

func newFinder(secrets []string) *finder {
	f := &finder{byStart: map[uint32][]int32{}}
	for _, s := range secrets {
		for _, p := range splitSecret(s) {
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

// add adds the patterns of a secret, or of a piece of a secret.
func (f *finder) add(secret string) {
	all := forms(secret)
	if n := incompleteAt(secret); n < len(secret) && n >= shortestHeld {
		all = append(all, secret[:n]) // the following text may combine with the end to an escape
	}
	for _, form := range all {
		for _, as := range unescapedForms(form) {
			if text := foldCase(as).text; len(text) >= startLength {
				f.patterns = append(f.patterns, pattern{text: text, length: len(form)})
			}
		}
	}
}

// longestPiece is the maximum length of a pattern. Longer secrets, such as files, are
// split into pieces that are found separately.
const longestPiece = 2 << 10

func splitSecret(secret string) []string {
	var all []string
	for len(secret) > 2*longestPiece {
		end := longestPiece
		for end > 0 && !utf8.RuneStart(secret[end]) {
			end--
		}
		if end == 0 {
			break // it is not UTF-8
		}
		all = append(all, secret[:end])
		secret = secret[end:]
	}
	return append(all, secret)
}

// chunk is the length of the part of a text that is searched at once. Removing
// escapes takes a multiple of it in memory.
const chunk = 256 << 10

// finders find the secrets of several masks in one pass.
type finders []*finder

// reach returns the maximum length of a secret in a text.
func (all finders) reach() int {
	longest := 0
	for _, f := range all {
		longest = max(longest, f.longest)
	}
	return longest * longestEscape
}

// spans returns the positions of secrets in a text, in order.
func (all finders) spans(text string) []span {
	var found []span
	for start := 0; start == 0 || start < len(text); start += chunk {
		for _, s := range all.spansIn(text[start:min(len(text), start+chunk+all.reach())]) {
			found = append(found, span{start + s.start, start + s.end})
		}
	}
	return mergeSpans(text, found)
}

func (all finders) spansIn(text string) []span {
	var found []span
	undone, squeezed := unescapeLevels(text)
	for i := range undone {
		l := &undone[i]
		shortest := 0
		if squeezed && i == len(undone)-1 {
			shortest = shortestSqueezed
		}
		in := foldCase(l.text)
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

// longestAt returns the length of the longest pattern at a position, or of the beginning of one that is not short or that somebody
// else has cut off. It is longer than longer and at least as long as shortest. It returns 0 if there is none.
func (f *finder) longestAt(text string, at, longer, shortest int) int {
	start := startOf(text[at:])
	if bit := bitOf(start); f.starts[bit/64]&(1<<(bit%64)) == 0 {
		return 0
	}
	longest := 0
	for _, i := range f.byStart[start] {
		p := f.patterns[i].text
		if len(p) <= max(longer, longest) || len(p) < shortest {
			break
		}
		if n := sameLength(text[at:], p); n > max(longer, longest) && (n == len(p) || n >= shortestPart || n >= shortestHeld && isCut(text[at+n:])) {
			longest = n
		}
	}
	return longest
}

// isCut reports whether a text, in lower case, begins with what others write in place of what they cut off.
func isCut(text string) bool {
	text = strings.TrimPrefix(text, " ")
	if strings.HasPrefix(text, "...") {
		return true
	}
	return text != "" && strings.IndexByte("[(<", text[0]) >= 0 && (strings.HasPrefix(text[1:], "...") || strings.HasPrefix(text[1:], "truncated"))
}

// sameLength returns the number of bytes with which both texts begin.
func sameLength(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// holds reports whether a text contains a secret of sufficient length.
func (all finders) holds(text string) bool {
	if len(text) < shortestHeld {
		return false
	}
	if !strings.ContainsAny(text, escapeStarts) && SteeringIndex(text) == len(text) {
		return all.holdsIn(text) // the usual case
	}
	for start := 0; start == 0 || start < len(text); start += chunk {
		undone, _ := unescapeLevels(text[start:min(len(text), start+chunk+all.reach())])
		if slices.ContainsFunc(undone, func(l level) bool { return all.holdsIn(l.text) }) {
			return true
		}
	}
	return false
}

func (all finders) holdsIn(text string) bool {
	in := foldCase(text).text
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

// unfinishedLength returns the number of bytes at the end of a text that may be the
// beginning of a form of a secret. An incomplete character or escape may be part of
// it.
func (all finders) unfinishedLength(text string) int {
	tail := text[max(0, len(text)-all.reach()):]
	most := 0
	undone, squeezed := unescapeLevels(tail)
	for i := range undone {
		l := &undone[i]
		first := len(l.text)
		if squeezed && i == len(undone)-1 {
			first = all.beginsIn(l.text, shortestSqueezed)
		} else {
			for cut := len(l.text); ; {
				first = min(first, cut, all.beginsIn(l.text[:cut], 1))
				shorter := incompleteAt(l.text[:cut])
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

// beginsIn is like beginsAt, for a text whose case is not folded.
func (all finders) beginsIn(text string, shortest int) int {
	in := foldCase(text)
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

// incompleteEscape matches the beginning of an escape, or of a terminal control
// sequence, at the end of a text. It is compiled on first use, because compiling it
// would slow down the start of each provider.
var incompleteEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(%([0-9a-f]|u[0-9a-f]{0,3})?|\\(u\{?[0-9a-f]{0,7}|x[0-9a-f]?|[0-3][0-7]?)?|&[#a-z0-9]{0,31}|\x1b(\[[0-9;]*)?)$`)
})

// incompleteAt returns the position of an incomplete escape or character at the end of
// a text, or the length of the text if there is none.
func incompleteAt(text string) int {
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

// beginsAt returns the position at the end of a text at which the longest beginning
// of a pattern starts, or the length of the text if there is none of sufficient
// length.
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
