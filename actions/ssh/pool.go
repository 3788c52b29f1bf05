package ssh

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// perConnection is how many commands run over one connection at once: servers
	// allow ten sessions (sshd_config(5), MaxSessions).
	perConnection = 8
	// idleTime is how long a connection stays open that nobody uses.
	idleTime = 30 * time.Second
)

// Pool keeps connections from command to command: to log in costs more than most
// commands do. It is safe for concurrent use.
type Pool struct {
	mu    sync.Mutex
	lines map[string]*line
}

// line are the connections to one target.
type line struct {
	// dialling holds who connects: machines refuse many at once.
	dialling chan struct{}
	open     []*held
}

type held struct {
	*Client
	users int
	idle  *time.Timer
}

// NewPool is one without connections.
func NewPool() *Pool { return &Pool{lines: map[string]*line{}} }

// Get is a connection to the target, open already or made now; see Connect. The
// caller releases it.
func (p *Pool) Get(ctx context.Context, dial Dial, t *Target, waiting func(error)) (_ *Client, release func(), err error) {
	key := t.fingerprint()
	p.mu.Lock()
	l := p.lines[key]
	if l == nil {
		l = &line{dialling: make(chan struct{}, 1)}
		p.lines[key] = l
	}
	p.mu.Unlock()
	if h := p.free(l); h != nil {
		return h.Client, func() { p.release(l, h) }, nil
	}
	select {
	case l.dialling <- struct{}{}:
		defer func() { <-l.dialling }()
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("%s: %w", t, context.Cause(ctx))
	}
	if h := p.free(l); h != nil { // made while we waited
		return h.Client, func() { p.release(l, h) }, nil
	}
	c, err := Connect(ctx, dial, t, waiting)
	if err != nil {
		return nil, nil, err
	}
	h := &held{Client: c, users: 1}
	p.mu.Lock()
	l.open = append(l.open, h)
	p.mu.Unlock()
	return c, func() { p.release(l, h) }, nil
}

// free is a connection that takes one more command, or nil.
func (p *Pool) free(l *line) *held {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(h *held) bool { return !h.Alive() })
	for _, h := range l.open {
		if h.users < perConnection {
			h.users++
			if h.idle != nil {
				h.idle.Stop()
			}
			return h
		}
	}
	return nil
}

func (p *Pool) release(l *line, h *held) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.users--
	if h.users == 0 {
		h.idle = time.AfterFunc(idleTime, func() { p.drop(l, h) })
	}
}

// drop closes a connection that nobody uses.
func (p *Pool) drop(l *line, h *held) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.users == 0 {
		l.open = slices.DeleteFunc(l.open, func(o *held) bool { return o == h })
		go h.Close()
	}
}
