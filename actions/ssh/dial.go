package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// Dial opens a connection to "host:port".
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Client is an authenticated connection to a machine.
type Client struct {
	*ssh.Client
	jump *Client
	// closed is closed when the connection has ended.
	closed chan struct{}
	// broken is true once a command has lost the connection, which is noticed there first.
	broken atomic.Bool
	// guard is started once, by startGuard.
	guardOnce sync.Once
	guard     *guard
	// lost are the commands on the machine whose connection broke. A Pool shares them between
	// the connections to one target.
	lost *lostCommands
}

// Connect logs in to the target. If RetryFor is set, it retries for that long, and calls
// onRetry with the last error before each further attempt.
//
// Errors name the machine. The last error is in the chain. Connect does not retry after a
// *HostKeyError, nor after a wrong password, since many machines lock the account after
// several attempts.
func Connect(ctx context.Context, dial Dial, t *Target, onRetry func(error)) (*Client, error) {
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
		if !t.isTransient(err) || time.Now().Add(pause).After(deadline) {
			return nil, err
		}
		onRetry(err)
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}

// isTransient reports whether another attempt may succeed after this error.
func (t *Target) isTransient(err error) bool {
	var wrong *HostKeyError
	var config *configError
	switch {
	case t.RetryFor <= 0, errors.As(err, &wrong), errors.As(err, &config):
		return false
	case strings.Contains(err.Error(), "unable to authenticate"):
		return t.Password == ""
	default:
		return true
	}
}

// configError is an error in the arguments. Retrying does not help.
type configError struct{ err error }

func (m *configError) Error() string { return m.err.Error() }
func (m *configError) Unwrap() error { return m.err }

// connect makes one attempt.
func connect(ctx context.Context, dial Dial, t *Target) (*Client, error) {
	limit := t.ConnectTimeout
	if limit <= 0 {
		limit = defaultConnectTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no response within %s", limit))
	defer cancel()
	hosts, err := parseHostKeys(t.HostKey, t.Address())
	if err != nil {
		return nil, &configError{err}
	}
	var wrong *HostKeyError
	for {
		c, err := logIn(ctx, dial, t, hosts)
		switch {
		case err == nil:
			return c, nil
		case wrong != nil && noCommonKey(err):
			return nil, wrong // the machine has no further keys
		case !hosts.tryAnotherKind(err):
			return nil, err
		}
		errors.As(err, &wrong)
	}
}

// logIn connects and logs in once. hosts has the accepted host keys.
func logIn(ctx context.Context, dial Dial, t *Target, hosts *hostKeys) (*Client, error) {
	config, release, err := t.clientConfig(ctx, hosts)
	if err != nil {
		return nil, &configError{err}
	}
	defer release()
	c := &Client{closed: make(chan struct{}), lost: newLostCommands()}
	conn, err := c.openConn(ctx, dial, t)
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
		return nil, addRemedy(err)
	}
	c.Client = ssh.NewClient(inner, channels, requests)
	go c.closeWhenDone()
	go c.keepAlive()
	return c, nil
}

// openConn opens the connection, through the jump host if there is one.
func (c *Client) openConn(ctx context.Context, dial Dial, t *Target) (net.Conn, error) {
	if t.Jump == nil {
		return dial(ctx, "tcp", t.Address())
	}
	jump, err := connect(ctx, dial, t.Jump)
	if err != nil {
		return nil, fmt.Errorf("via %s: %w", t.Jump, err)
	}
	c.jump = jump
	conn, err := jump.DialContext(ctx, "tcp", t.Address())
	if err != nil {
		c.closeJump()
		return nil, fmt.Errorf("via %s: %w", t.Jump, err)
	}
	return conn, nil
}

func (c *Client) closeJump() {
	if c.jump != nil {
		c.jump.Close()
	}
}

// addRemedy adds a remedy to an error of the SSH library.
func addRemedy(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "unable to authenticate"):
		return fmt.Errorf("the machine refused the login: %w; check the user name, and that authorized_keys contains the key", err)
	case noCommonKey(err):
		return fmt.Errorf("the machine has no host key of a type in hostKey: %w", err)
	default:
		return err
	}
}

// noCommonKey reports whether the machine has no host key of the accepted types.
func noCommonKey(err error) bool {
	return strings.Contains(err.Error(), "no common algorithm for host key")
}

// closeWhenDone waits for the end of the connection, and then closes the one to the jump
// host.
func (c *Client) closeWhenDone() {
	_ = c.Wait() // the error does not matter
	close(c.closed)
	c.closeJump()
}

// Alive reports whether the connection is open.
func (c *Client) Alive() bool {
	select {
	case <-c.closed:
		return false
	default:
		return !c.broken.Load()
	}
}

const (
	keepAliveEvery = 15 * time.Second
	// keepAliveMissed is how many responses may be missing before the connection counts as
	// broken.
	keepAliveMissed = 4
)

// keepAlive regularly sends a request that the machine responds to. So a broken connection is
// detected, and firewalls do not drop an idle one.
func (c *Client) keepAlive() {
	ticker := time.NewTicker(keepAliveEvery)
	defer ticker.Stop()
	var missing atomic.Int32
	for {
		select {
		case <-c.closed:
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
