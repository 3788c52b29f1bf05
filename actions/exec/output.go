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
	// longestLine is how much of a line is kept to be shown, shownLine how much of
	// it is: what is cut off behind shows no half of a secret.
	longestLine = 64 << 10
	shownLine   = 4 << 10
	// mostShown is how much of a command's output is shown in all.
	mostShown = 1 << 20
	// tailSize is how much of what it wrote last is kept for messages.
	tailSize = 64 << 10
)

// output is what a command writes: kept, and shown as it comes. The two streams
// share what they are shown by.
type output struct {
	mu             sync.Mutex
	call           *actions.Call
	shown          int
	stdout, stderr stream
	// finished says that what still comes is nobody's.
	finished bool
}

// stream is one of them.
type stream struct {
	out *output
	// kept is at most limit bytes of it: the first, or the last. Size is that of
	// all that came.
	kept  []byte
	limit int
	last  bool
	size  int64
	// line is what is to be shown and not yet, as its line is not complete.
	line   []byte
	longer bool // the line was longer than what is kept of it
	show   bool // to everybody; else only where all is shown
	hidden bool // to nobody
}

// Write keeps and shows what came.
func (s *stream) Write(b []byte) (int, error) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	if s.out.finished {
		return len(b), nil
	}
	s.keep(b)
	if !s.hidden {
		s.follow(b)
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

// bytes are what of it is kept.
func (s *stream) bytes() []byte {
	if s.last && len(s.kept) > s.limit {
		return s.kept[len(s.kept)-s.limit:]
	}
	return s.kept
}

// end is the end of what is kept, for a message. Where more came than is kept, what
// may be the beginning of a secret is left out.
func (s *stream) end() string {
	kept := s.bytes()
	kept = kept[max(0, len(kept)-tailSize):]
	if !s.last && s.size > int64(s.limit) && s.out.call.Unfinished != nil {
		kept = kept[:len(kept)-s.out.call.Unfinished(string(kept))]
	}
	return string(kept)
}

// follow shows the lines that are complete, but for what may be the beginning of a
// secret that goes on.
func (s *stream) follow(b []byte) {
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
			// Of a line that long the beginning is shown, and the rest is not.
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
		// The end of a line whose beginning was shown.
		_, text, _ = strings.Cut(text, "\n")
		s.longer = false
	}
	text = s.out.visible(text)
	if text == "" || s.out.call.Log == nil || s.out.shown >= mostShown {
		return
	}
	if s.out.shown += len(text); s.out.shown >= mostShown {
		text += "\n(what else it writes is not shown)"
	}
	s.out.call.Log(text, !s.show)
	if s.show {
		s.out.call.Progress(lastLine(text))
	}
}

// finish shows what has no line end. What comes after it is dropped: a machine
// that was given up may still send, and the call may be over.
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

// escapes are the sequences by which programs colour a terminal.
var escapes = regexp.MustCompile(`\x1b(\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_])`)

// visible is text as it can be shown: without colours and control characters, each
// line as a terminal would have left it, and cut to a length. It is masked twice: a
// secret may hold what is taken out here, and one that was coloured, as grep colours
// what it finds, is one only then.
func (o *output) visible(text string) string {
	text = bare(o.masked(text))
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

// bare are the characters of a text that a terminal would show.
func bare(text string) string {
	text = escapes.ReplaceAllString(text, "")
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:] // what was written over
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
