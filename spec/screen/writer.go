package screen

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Writer writes texts to a screen, as Visible shows them: the last door of whatever no
// Show has seen. It is safe for concurrent use.
type Writer struct {
	to     io.Writer
	colors bool

	mu   sync.Mutex
	rest []byte // the beginning of a character whose end is still to come
}

// NewWriter returns a writer to a stream. With colors the sequences that choose colours
// pass, for those who write them around texts that Visible has shown.
func NewWriter(to io.Writer, colors bool) *Writer { return &Writer{to: to, colors: colors} }

// Unwrap returns the stream.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write writes what Visible shows of b.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(w.rest) + string(b)
	whole := len(text)
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				whole = i
			}
			break
		}
	}
	w.rest = append(w.rest[:0], text[whole:]...)
	if _, err := io.WriteString(w.to, w.shown(text[:whole])); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (w *Writer) shown(text string) string {
	if !w.colors || !strings.Contains(text, "\x1b[") {
		return Visible(text)
	}
	var b strings.Builder
	for {
		at := strings.Index(text, "\x1b[")
		if at < 0 {
			b.WriteString(Visible(text))
			return b.String()
		}
		n := colorLength(text[at:])
		if n == 0 {
			n = 1
			b.WriteString(Visible(text[:at+n]))
		} else {
			b.WriteString(Visible(text[:at]))
			b.WriteString(text[at : at+n])
		}
		text = text[at+n:]
	}
}

// colorLength returns the length of the sequence that chooses a colour (SGR) that a
// text begins with; 0 if it begins with none.
func colorLength(text string) int {
	end := strings.IndexByte(text, 'm')
	if end < 2 || strings.Trim(text[2:end], "0123456789;") != "" {
		return 0
	}
	return end + 1
}
