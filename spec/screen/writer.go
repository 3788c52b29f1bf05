package screen

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Writer writes texts to a stream, converted by Visible. It is the last safeguard for
// text that was not passed through Show. It is safe for concurrent use.
type Writer struct {
	to     io.Writer
	colors bool

	mu   sync.Mutex
	rest []byte // the beginning of an incomplete character
}

// NewWriter returns a writer to a stream. If colors is true, color sequences are
// passed through, for callers that add them to text converted by Visible.
func NewWriter(to io.Writer, colors bool) *Writer { return &Writer{to: to, colors: colors} }

// Unwrap returns the stream.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write writes b, converted by Visible.
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

// colorLength returns the length of the color sequence (SGR) at the beginning of a
// text, or 0.
func colorLength(text string) int {
	end := strings.IndexByte(text, 'm')
	if end < 2 || strings.Trim(text[2:end], "0123456789;") != "" {
		return 0
	}
	return end + 1
}
