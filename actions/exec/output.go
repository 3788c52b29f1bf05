package exec

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
)

const (
	// longestLine is how much of a line is kept, shownLine how much of it is shown. Secrets
	// are masked in what is kept, so that a cut never shows half of a secret.
	longestLine = 64 << 10
	shownLine   = 4 << 10
	// mostShown is how much of a command's output is shown in total.
	mostShown = 1 << 20
	// tailSize is how much of the end of the output is kept for messages.
	tailSize = 64 << 10
)

// output keeps the output of a command, and shows it as it arrives.
type output struct {
	mu             sync.Mutex
	call           *actions.Call
	shown          int // bytes that were shown, of both streams
	stdout, stderr stream
	// finished says that output that still arrives is dropped.
	finished bool
}

// stream is the standard output or the standard error.
type stream struct {
	out *output
	// kept is at most limit bytes of the stream: the last ones if last is set, else the
	// first. Size is the size of the whole stream.
	kept  []byte
	limit int
	last  bool
	size  int64
	// line is an incomplete line, which is not yet shown.
	line   []byte
	longer bool // the line is longer than longestLine, and its beginning was shown
	show   bool // show it to everybody; else only in a verbose log
	hidden bool // never show it
}

// Write keeps and shows output.
func (s *stream) Write(b []byte) (int, error) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	if s.out.finished {
		return len(b), nil
	}
	s.keep(b)
	if !s.hidden {
		s.showLines(b)
	}
	return len(b), nil
}

func (s *stream) keep(b []byte) {
	s.size += int64(len(b))
	if !s.last {
		s.kept = append(s.kept, b[:min(len(b), s.limit-len(s.kept))]...)
		return
	}
	s.kept = append(s.kept, b...)
	if len(s.kept) > 2*s.limit {
		s.kept = append(s.kept[:0], s.kept[len(s.kept)-s.limit:]...)
	}
}

// bytes returns the kept bytes.
func (s *stream) bytes() []byte {
	if s.last && len(s.kept) > s.limit {
		return s.kept[len(s.kept)-s.limit:]
	}
	return s.kept
}

// end returns the end of the kept bytes, for a message. If they do not reach to the end of
// the stream, a possible beginning of a secret is removed.
func (s *stream) end() string {
	kept := s.bytes()
	kept = kept[max(0, len(kept)-tailSize):]
	if !s.last && s.size > int64(s.limit) && s.out.call.Unfinished != nil {
		kept = kept[:len(kept)-s.out.call.Unfinished(string(kept))]
	}
	return string(kept)
}

// showLines shows the complete lines, without a possible beginning of a secret that the next
// output may complete.
func (s *stream) showLines(b []byte) {
	for len(b) > 0 {
		room := longestLine - len(s.line)
		n := min(room, len(b))
		s.line = append(s.line, b[:n]...)
		b = b[n:]
		end := bytes.LastIndexByte(s.line, '\n') + 1
		if end > 0 && s.out.call.Unfinished != nil {
			held := s.out.call.Unfinished(string(s.line[:end]))
			end = bytes.LastIndexByte(s.line[:end-held], '\n') + 1
		}
		switch {
		case end > 0:
			s.print(s.line[:end])
			s.line = append(s.line[:0], s.line[end:]...)
		case len(s.line) == longestLine:
			// Show the beginning of a line that is too long, and skip the rest.
			end = len(s.line)
			if s.out.call.Unfinished != nil {
				end -= s.out.call.Unfinished(string(s.line))
			}
			s.print(s.line[:end])
			skip := bytes.IndexByte(b, '\n') + 1
			if skip == 0 {
				skip = len(b)
				s.longer = true
			}
			b, s.line = b[skip:], s.line[:0]
		}
	}
}

// print shows complete lines, as one message.
func (s *stream) print(lines []byte) {
	text := string(lines)
	if s.longer {
		// Skip the end of a line whose beginning was shown.
		_, text, _ = strings.Cut(text, "\n")
		s.longer = false
	}
	text = s.out.visible(text)
	if text == "" || s.out.call.Log == nil || s.out.shown >= mostShown {
		return
	}
	if s.out.shown += len(text); s.out.shown >= mostShown {
		text += "\n(further output is not shown)"
	}
	s.out.call.Log(text, !s.show)
	if s.show {
		s.out.call.Progress(lastLine(text))
	}
}

// finish shows the incomplete lines. Output that arrives later, from a machine that no longer
// responded in time, is dropped, since the call may be over.
func (o *output) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished = true
	for _, s := range []*stream{&o.stdout, &o.stderr} {
		if len(s.line) > 0 {
			s.print(s.line)
			s.line = nil
		}
	}
}

// escapes matches terminal escape sequences, such as colours.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_])`)
})

// visible returns text as a terminal would show it, without colours and control characters,
// and with long lines cut. It masks secrets before and after it removes these characters: a
// secret may contain them, and a secret that a program coloured is found only without them.
func (o *output) visible(text string) string {
	text = plainText(o.masked(text))
	lines := strings.Split(o.masked(text), "\n")
	for i, line := range lines {
		if len(line) > shownLine {
			cut := shownLine
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			lines[i] = line[:cut] + "…"
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func (o *output) masked(text string) string {
	if o.call.Mask == nil {
		return text
	}
	return o.call.Mask(text)
}

// plainText returns the characters of a text that a terminal would show.
func plainText(text string) string {
	text = escapes().ReplaceAllString(text, "")
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:] // the part before was overwritten
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(line, "\uFFFD"))
	}
	return strings.Join(lines, "\n")
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
