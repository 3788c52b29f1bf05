package engine

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// masked is what stands where a secret was.
const masked = "[secret]"

// shortestMasked is the length from which a secret is masked in text: shorter
// ones would tear every sentence apart and still be guessable.
const shortestMasked = 4

// mask replaces secrets, in every form that they may have taken on the way, in
// text that people or logs get to see.
type mask struct {
	known    map[string]bool
	replacer *strings.Replacer
}

func newMask(secrets []string) *mask {
	m := &mask{known: map[string]bool{}}
	var forms []string
	for _, s := range secrets {
		if len([]rune(s)) < shortestMasked || m.known[s] {
			continue
		}
		m.known[s] = true
		forms = append(forms, encodings(s)...)
	}
	if len(forms) == 0 {
		return m
	}
	// Longer forms first, so that a secret within a secret leaves no rest.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, masked)
	}
	m.replacer = strings.NewReplacer(pairs...)
	return m
}

// encodings are the forms in which a secret may show.
func encodings(s string) []string {
	quoted, _ := json.Marshal(s)
	out := []string{
		s, string(quoted[1 : len(quoted)-1]), url.QueryEscape(s), url.PathEscape(s), hex.EncodeToString([]byte(s)),
		strings.ToUpper(hex.EncodeToString([]byte(s))),
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		out = append(out, e.EncodeToString([]byte(s)))
	}
	for _, line := range strings.Split(s, "\n") {
		if line = strings.TrimSpace(line); len([]rune(line)) >= 2*shortestMasked {
			out = append(out, line) // a key's lines show one by one
		}
	}
	return out
}

// text is s without secrets.
func (m *mask) text(s string) string {
	if m.replacer == nil {
		return s
	}
	return m.replacer.Replace(s)
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
	if err == nil || m.replacer == nil {
		return err
	}
	if text := m.text(err.Error()); text != err.Error() {
		return &maskedError{err: err, text: text}
	}
	return err
}
