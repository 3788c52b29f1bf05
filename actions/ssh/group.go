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

// group is the process group of a command, which the command's own shell tells
// as the first thing on its standard error. OpenSSH refuses the protocol's signals
// in sessions of root (session_signal_req in its session.c), so that a command is
// ended by another one.
type group struct {
	mark []byte
	to   io.Writer

	mu sync.Mutex
	// before is what came before the mark: log-in shells may have something to
	// say. It is nil once the mark has come.
	before []byte
	id     int
	// known is closed when the mark has come, or will not come.
	known chan struct{}
}

// mostBefore is how much may come before the mark; more is the command's.
const mostBefore = 64 << 10

func newGroup(to io.Writer) *group {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	if to == nil {
		to = io.Discard
	}
	return &group{mark: []byte("declprov " + hex.EncodeToString(random[:]) + " "), to: to, before: []byte{}, known: make(chan struct{})}
}

// tell is the line of the shell's script that tells the group.
func (g *group) tell() string { return "echo '" + string(g.mark) + "'$$ >&2\n" }

// Write passes on what is the command's.
func (g *group) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.before == nil {
		return g.to.Write(b)
	}
	g.before = append(g.before, b...)
	at := bytes.Index(g.before, g.mark)
	if at < 0 {
		if len(g.before) > mostBefore {
			g.pass(g.before)
		}
		return len(b), nil
	}
	rest := g.before[at+len(g.mark):]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		return len(b), nil
	}
	g.id, _ = strconv.Atoi(string(bytes.TrimSpace(rest[:end])))
	g.pass(append(bytes.Clone(g.before[:at]), rest[end+1:]...))
	return len(b), nil
}

func (g *group) pass(b []byte) {
	g.before = nil
	close(g.known)
	if len(b) > 0 {
		_, _ = g.to.Write(b)
	}
}

// done passes on what never was a mark, once nothing more comes.
func (g *group) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.before != nil {
		g.pass(g.before)
	}
}

// leader is the number of the group, once it is known: 0 where that takes longer
// than the limit, or never comes.
func (g *group) leader(limit time.Duration) int {
	select {
	case <-g.known:
	case <-time.After(limit):
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.id
}
