package ssh

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// perConnection is how many commands run concurrently over one connection. Servers allow
	// ten sessions (sshd_config(5), MaxSessions), one of which is that of the guard.
	perConnection = 8
	// idleTime is how long an unused connection stays open.
	idleTime = 30 * time.Second
)

// Pool reuses connections for several commands, since a login costs more than most commands.
// It is safe for concurrent use.
type Pool struct {
	mu      sync.Mutex
	targets map[string]*targetPool
}

// targetPool has the connections to one target.
type targetPool struct {
	// dialLock is held while connecting, since machines refuse many logins at once.
	dialLock chan struct{}
	clients  []*pooledClient
	lost     *lostCommands
}

type pooledClient struct {
	*Client
	users     int
	idleTimer *time.Timer
}

// NewPool returns a pool without connections.
func NewPool() *Pool { return &Pool{targets: map[string]*targetPool{}} }

// Get returns a connection to the target, and makes one if necessary; see Connect. The caller
// must call release.
func (p *Pool) Get(ctx context.Context, dial Dial, t *Target, onRetry func(error)) (_ *Client, release func(), err error) {
	key := t.fingerprint()
	p.mu.Lock()
	l := p.targets[key]
	if l == nil {
		l = &targetPool{dialLock: make(chan struct{}, 1), lost: newLostCommands()}
		p.targets[key] = l
	}
	p.mu.Unlock()
	if h := p.acquire(l); h != nil {
		return h.Client, func() { p.release(l, h) }, nil
	}
	select {
	case l.dialLock <- struct{}{}:
		defer func() { <-l.dialLock }()
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("%s: %w", t, context.Cause(ctx))
	}
	if h := p.acquire(l); h != nil { // another call has connected meanwhile
		return h.Client, func() { p.release(l, h) }, nil
	}
	c, err := Connect(ctx, dial, t, onRetry)
	if err != nil {
		return nil, nil, err
	}
	c.lost = l.lost
	h := &pooledClient{Client: c, users: 1}
	p.mu.Lock()
	l.clients = append(l.clients, h)
	p.mu.Unlock()
	return c, func() { p.release(l, h) }, nil
}

// acquire returns a connection that can run one more command, or nil.
func (p *Pool) acquire(l *targetPool) *pooledClient {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.clients = slices.DeleteFunc(l.clients, func(h *pooledClient) bool { return !h.Alive() })
	for _, h := range l.clients {
		if h.users < perConnection {
			h.users++
			if h.idleTimer != nil {
				h.idleTimer.Stop()
			}
			return h
		}
	}
	return nil
}

func (p *Pool) release(l *targetPool, h *pooledClient) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.users--
	if h.users == 0 {
		h.idleTimer = time.AfterFunc(idleTime, func() { p.drop(l, h) })
	}
}

// drop closes an unused connection.
func (p *Pool) drop(l *targetPool, h *pooledClient) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.users == 0 {
		l.clients = slices.DeleteFunc(l.clients, func(o *pooledClient) bool { return o == h })
		go h.Close()
	}
}
