package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// Dial connects to "host:port".
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Client is a connection to a machine, logged in.
type Client struct {
	*ssh.Client
	jump *Client
	// gone is closed when the connection is.
	gone chan struct{}
}

// Connect logs in at the target: once, or for as long as RetryFor says. Each try
// after the first is told to waiting, with what went wrong before.
//
// Errors name the machine. What was wrong at last is in the chain: a
// *HostKeyError is never tried again, and nor is a password that was refused,
// since many machines lock whoever guesses.
func Connect(ctx context.Context, dial Dial, t *Target, waiting func(error)) (*Client, error) {
	deadline := time.Now().Add(t.RetryFor)
	for pause := time.Second; ; pause = min(2*pause, 10*time.Second) {
		c, err := connect(ctx, dial, t)
		if err == nil {
			return c, nil
		}
		err = fmt.Errorf("%s: %w", t, err)
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), err)
		}
		if !t.mayPass(err) || time.Now().Add(pause).After(deadline) {
			return nil, err
		}
		waiting(err)
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}

// mayPass reports whether the error of an attempt may be gone at the next.
func (t *Target) mayPass(err error) bool {
	var wrong *HostKeyError
	var mistake *mistake
	switch {
	case t.RetryFor <= 0, errors.As(err, &wrong), errors.As(err, &mistake):
		return false
	case strings.Contains(err.Error(), "unable to authenticate"):
		return t.Password == ""
	default:
		return true
	}
}

// mistake is an error in what is given, which no waiting mends.
type mistake struct{ err error }

func (m *mistake) Error() string { return m.err.Error() }
func (m *mistake) Unwrap() error { return m.err }

// connect makes one attempt.
func connect(ctx context.Context, dial Dial, t *Target) (*Client, error) {
	limit := t.ConnectTimeout
	if limit <= 0 {
		limit = defaultConnectTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	hosts, err := parseHostKeys(t.HostKey, t.Address())
	if err != nil {
		return nil, &mistake{err}
	}
	var wrong *HostKeyError
	for {
		c, err := logIn(ctx, dial, t, hosts)
		switch {
		case err == nil:
			return c, nil
		case wrong != nil && noCommonKey(err):
			return nil, wrong // it has shown all that it has
		case !hosts.another(err):
			return nil, err
		}
		errors.As(err, &wrong)
	}
}

// logIn connects and logs in, once, with the keys that the machine may show.
func logIn(ctx context.Context, dial Dial, t *Target, hosts *hostKeys) (*Client, error) {
	config, release, err := t.config(ctx, hosts)
	if err != nil {
		return nil, &mistake{err}
	}
	defer release()
	c := &Client{gone: make(chan struct{})}
	conn, err := c.reach(ctx, dial, t)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	inner, channels, requests, err := ssh.NewClientConn(conn, t.Address(), config)
	if !stop() && err == nil {
		inner.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		c.closeJump()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, explained(err)
	}
	c.Client = ssh.NewClient(inner, channels, requests)
	go c.watch()
	go c.keepAlive()
	return c, nil
}

// reach opens the connection, through the machine in between where there is one.
func (c *Client) reach(ctx context.Context, dial Dial, t *Target) (net.Conn, error) {
	if t.Jump == nil {
		return dial(ctx, "tcp", t.Address())
	}
	jump, err := connect(ctx, dial, t.Jump)
	if err != nil {
		return nil, fmt.Errorf("by way of %s: %w", t.Jump, err)
	}
	c.jump = jump
	conn, err := jump.DialContext(ctx, "tcp", t.Address())
	if err != nil {
		c.closeJump()
		return nil, fmt.Errorf("by way of %s: %w", t.Jump, err)
	}
	return conn, nil
}

func (c *Client) closeJump() {
	if c.jump != nil {
		c.jump.Close()
	}
}

// explained is an error of the SSH library with what to do.
func explained(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "unable to authenticate"):
		return fmt.Errorf("the machine refuses the log-in: %w; see that the user is right, and that its authorized_keys has the key", err)
	case noCommonKey(err):
		return fmt.Errorf("the machine has no host key of the kind in hostKey: %w", err)
	default:
		return err
	}
}

// noCommonKey reports whether a machine has no host key of the kinds that it was
// asked for.
func noCommonKey(err error) bool {
	return strings.Contains(err.Error(), "no common algorithm for host key")
}

// watch closes what hangs on the connection when it ends.
func (c *Client) watch() {
	_ = c.Wait() // its end is what counts
	close(c.gone)
	c.closeJump()
}

// Alive reports whether the connection still stands.
func (c *Client) Alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

const (
	keepAliveEvery = 15 * time.Second
	// keepAliveMissed is how many answers may be missing before a connection
	// counts as broken.
	keepAliveMissed = 4
)

// keepAlive asks the machine for an answer now and then, so that a connection
// that broke without a word ends, and one over a firewall is not forgotten there.
func (c *Client) keepAlive() {
	ticker := time.NewTicker(keepAliveEvery)
	defer ticker.Stop()
	var missing atomic.Int32
	for {
		select {
		case <-c.gone:
			return
		case <-ticker.C:
		}
		if missing.Add(1) > keepAliveMissed {
			c.Close()
			return
		}
		go func() {
			if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err == nil {
				missing.Store(0)
			}
		}()
	}
}
