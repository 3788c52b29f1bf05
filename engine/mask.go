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
}

func newMask(secrets []string) *mask {
	m := &mask{known: map[string]bool{}}
	for _, s := range secrets {
		if len([]rune(s)) >= shortestMasked && !m.known[s] {
			m.known[s] = true
			m.secrets = append(m.secrets, s)
		}
	}
	m.replacer = sync.OnceValue(m.replacing)
	return m
}

func (m *mask) replacing() *strings.Replacer {
	var forms []string
	for _, s := range m.secrets {
		forms = append(forms, encodings(s)...)
	}
	// Longer forms first, so that a secret within a secret leaves no rest.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, masked)
	}
	return strings.NewReplacer(pairs...)
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
