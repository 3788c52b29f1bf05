package ssh

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"io"
	"strconv"
	"sync"
	"time"
)

// group learns the process group of a command. The shell of the command announces it in the
// first line of standard error. The group is required to end a command by another command,
// since OpenSSH refuses the signals of the protocol in sessions of root (session_signal_req
// in its session.c).
type group struct {
	mark []byte
	out  io.Writer

	mu sync.Mutex
	// pending is what was written before the mark: login shells may write something. It is
	// nil once the mark was found.
	pending []byte
	id      int
	// decided is closed when the mark was found, or will not be found.
	decided chan struct{}
}

// maxPending is how many bytes may come before the mark. If there are more, they belong to
// the command.
const maxPending = 64 << 10

func newGroup(to io.Writer) *group {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	if to == nil {
		to = io.Discard
	}
	return &group{mark: []byte("declprov " + hex.EncodeToString(random[:]) + " "), out: to, pending: []byte{}, decided: make(chan struct{})}
}

// announcement returns the line of the shell script that announces the group.
func (g *group) announcement() string { return "echo '" + string(g.mark) + "'$$ >&2\n" }

// Write passes on everything but the announcement.
func (g *group) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pending == nil {
		return g.out.Write(b)
	}
	g.pending = append(g.pending, b...)
	at := bytes.Index(g.pending, g.mark)
	if at < 0 {
		if len(g.pending) > maxPending {
			g.passOn(g.pending)
		}
		return len(b), nil
	}
	rest := g.pending[at+len(g.mark):]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		return len(b), nil
	}
	g.id, _ = strconv.Atoi(string(bytes.TrimSpace(rest[:end])))
	g.passOn(append(bytes.Clone(g.pending[:at]), rest[end+1:]...))
	return len(b), nil
}

func (g *group) passOn(b []byte) {
	g.pending = nil
	close(g.decided)
	if len(b) > 0 {
		_, _ = g.out.Write(b)
	}
}

// flush passes on what is pending once the command has ended.
func (g *group) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pending != nil {
		g.passOn(g.pending)
	}
}

// leader returns the id of the group. It waits for the announcement for at most limit, and
// returns 0 if there is none.
func (g *group) leader(limit time.Duration) int {
	select {
	case <-g.decided:
	case <-time.After(limit):
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.id
}
