package ssh

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"io"
	"strings"
	"sync"
)

// A mark is a line in the output of a session that declprov's shell script prints, and that no other program can know:
//
//	start PID GROUP BOOT STAT  before the output of the command: the shell of the machine runs the script
//	fail CODE                  the shell ended before it ran the command
//	exit CODE                  after the output of the command, if the shell waits for its end
//
// newNonce returns the random part of the marks of one session.
func newNonce() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// markFormat returns the beginning of a mark as a format of printf(1).
func markFormat(nonce string) string { return `\036declprov ` + nonce + " " }

// markedStream removes the marks from an output stream, and everything before the first one: what a login shell prints is
// no output of the command.
type markedStream struct {
	prefix []byte
	out    io.Writer
	// found is called for each mark with its words.
	found func(words []string)

	mu sync.Mutex
	// held is the end of what was written, if it may be the beginning of a mark.
	held []byte
	// before is the end of what was written before the first mark.
	before  []byte
	started bool
	// over says that the output of the command has ended.
	over bool
}

// maxBefore is how much of the output before the first mark is kept. Messages show less of it, after secrets were masked.
const maxBefore = 64 << 10

func newMarkedStream(nonce string, out io.Writer, found func(words []string)) *markedStream {
	if out == nil {
		out = io.Discard
	}
	return &markedStream{prefix: []byte("\x1edeclprov " + nonce + " "), out: out, found: found}
}

// Write passes on the output of the command. It never fails.
func (m *markedStream) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := b
	if len(m.held) > 0 {
		text = append(m.held, b...)
		m.held = nil
	}
	for {
		at := bytes.Index(text, m.prefix)
		if at < 0 {
			at = len(text) - partialPrefix(text, m.prefix)
			m.pass(text[:at])
			m.held = bytes.Clone(text[at:])
			return len(b), nil
		}
		m.pass(text[:at])
		line, rest, complete := bytes.Cut(text[at:], []byte("\n"))
		if !complete {
			m.held = bytes.Clone(text[at:])
			return len(b), nil
		}
		m.mark(strings.Fields(string(line[len(m.prefix):])))
		text = rest
	}
}

// partialPrefix returns how many bytes at the end of the text are the beginning of a longer prefix.
func partialPrefix(text, prefix []byte) int {
	for n := min(len(text), len(prefix)-1); n > 0; n-- {
		if bytes.HasSuffix(text, prefix[:n]) {
			return n
		}
	}
	return 0
}

func (m *markedStream) mark(words []string) {
	m.started = true
	if len(words) > 0 {
		m.over = m.over || words[0] == "exit"
		m.found(words)
	}
}

func (m *markedStream) pass(b []byte) {
	switch {
	case len(b) == 0 || m.over:
	case m.started:
		_, _ = m.out.Write(b)
	default:
		m.before = append(m.before, b...)
		m.before = m.before[max(0, len(m.before)-maxBefore):]
	}
}

// flush passes on what is held once the stream has ended.
func (m *markedStream) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(m.held)
	m.held = nil
}

// said returns the end of what was written before the first mark.
func (m *markedStream) said() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.before)
}
