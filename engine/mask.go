package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// masked is what stands where a secret was.
const masked = "[secret]"

// shortestMasked is the length from which a secret is masked in text: shorter
// ones would tear every sentence apart and still be guessable.
const shortestMasked = 4

// mask replaces secrets, in every form that they may have taken on the way, in
// text that people or logs get to see.
type mask struct {
	known   map[string]bool
	secrets []string
	// replacer is made when it is first needed: most calls go well, and say
	// nothing.
	replacer func() *strings.Replacer
	forms    func() []string
}

func newMask(secrets []string) *mask {
	m := &mask{known: map[string]bool{}}
	for _, s := range secrets {
		if len([]rune(s)) >= shortestMasked && !m.known[s] {
			m.known[s] = true
			m.secrets = append(m.secrets, s)
		}
	}
	m.forms = sync.OnceValue(m.allForms)
	m.replacer = sync.OnceValue(m.replacing)
	return m
}

// allForms are those of all secrets, longer ones first, so that a secret within a
// secret leaves no rest.
func (m *mask) allForms() []string {
	var forms []string
	for _, s := range m.secrets {
		forms = append(forms, encodings(s)...)
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(forms)
}

func (m *mask) replacing() *strings.Replacer {
	var pairs []string
	for _, f := range m.forms() {
		pairs = append(pairs, f, masked)
	}
	return strings.NewReplacer(pairs...)
}

// shortestHeld is the length from which a secret makes a whole text secret that
// it stands in: shorter ones are words, and stand in many.
const shortestHeld = 8

// holds reports whether a text is a secret, or has one in it, such as the output of
// a command that shows what it was given.
func (m *mask) holds(s string) bool {
	if m.known[s] {
		return true
	}
	return len(m.secrets) > 0 && slices.ContainsFunc(m.forms(), func(f string) bool {
		return len(f) >= shortestHeld && strings.Contains(s, f)
	})
}

// unfinished is how many bytes at the end of a text are the beginning of a secret,
// in one of its forms, as far as can be told before the rest of it comes.
func (m *mask) unfinished(s string) int {
	if len(m.secrets) == 0 {
		return 0
	}
	most := 0
	for _, f := range m.forms() {
		for n := min(len(f)-1, len(s)); n > most; n-- {
			if s[len(s)-n] == f[0] && s[len(s)-n:] == f[:n] {
				most = n
				break
			}
		}
	}
	return most
}

// text is s without secrets.
func (m *mask) text(s string) string {
	if len(m.secrets) == 0 {
		return s
	}
	return m.replacer().Replace(s)
}

// maskedError shows its error without secrets.
type maskedError struct {
	err  error
	text string
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }

// error is err without secrets in its text.
func (m *mask) error(err error) error {
	if err == nil {
		return nil
	}
	if text := m.text(err.Error()); text != err.Error() {
		return &maskedError{err: err, text: text}
	}
	return err
}
