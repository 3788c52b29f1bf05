package ssh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/declprov/declprov/actions/sys/process"
)

// ErrLost is the error of a command whose outcome is unknown, because the connection broke.
var ErrLost = errors.New("the connection broke while the command was running, so its effect is unknown")

// Run runs a command with its Args, in its Dir ("" is the user's home). Its Env is added to
// the environment of the machine. Its Path is ignored.
//
// The error is a *process.StartError if the command did not start, or ErrLost if its outcome
// is unknown. Before it runs, Run ends the commands whose connection to the same machine broke.
func (c *Client) Run(ctx context.Context, cmd *process.Command) (process.Exit, error) {
	ctx, stop := cmd.WithTimeout(ctx)
	defer stop()
	if err := c.endLost(ctx); err != nil {
		return process.Exit{}, &process.StartError{Err: err}
	}
	leader, exit, err := c.run(ctx, cmd)
	if errors.Is(err, ErrLost) {
		c.broken.Store(true)
	}
	if errors.Is(err, ErrLost) || exit.Stuck > 0 {
		c.lost.add(leader, cmd.Grace)
	}
	return exit, err
}

// run runs a command, and returns its process, too.
func (c *Client) run(ctx context.Context, cmd *process.Command) (leader, process.Exit, error) {
	if _, err := buildCommand(cmd); err != nil {
		return leader{}, process.Exit{}, &process.StartError{Err: err}
	}
	s, err := c.start(ctx, cmd.Stdout, cmd.Stderr, c.session)
	if err != nil {
		return leader{}, process.Exit{}, &process.StartError{Err: err}
	}
	defer func() { go s.channel.Close() }() // on a broken connection, it would block
	script, err := buildScript(cmd, s.nonce)
	if err != nil {
		return leader{}, process.Exit{}, &process.StartError{Err: err}
	}
	guard := c.startGuard(ctx)
	guard.add(s.leader, cmd.Grace)
	defer guard.drop(s.leader)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if s.send(script) != nil {
			return // the session has ended
		}
		if err := s.sendInput(cmd.Stdin); err != nil {
			cancel(err)
		}
	}()
	exit, err := c.wait(ctx, cmd, s, guard)
	return s.leader, exit, err
}

// opened is an open session.
type opened struct {
	channel  ssh.Channel
	requests <-chan *ssh.Request
}

// session opens a session. A connection that broke silently does not respond until keepAlive
// detects it, so session returns when the context ends.
func (c *Client) session(ctx context.Context) (*opened, error) {
	return openSession(ctx, c.openChannel, closeLate)
}

func (c *Client) openChannel() (*opened, error) {
	channel, requests, err := c.OpenChannel("session", nil)
	return &opened{channel, requests}, err
}

func closeLate(late *opened) {
	go ssh.DiscardRequests(late.requests)
	_ = late.channel.Close()
}

const (
	// sessionWait is how long to retry if a machine opens no more sessions.
	sessionWait = 30 * time.Second
	// sessionPause is the pause before the first retry.
	sessionPause = 10 * time.Millisecond
)

// openSession calls f, which opens a session, and retries if the machine refuses it. A
// machine allows few sessions per connection, and ended ones count for a moment. A refused
// session has had no effect. drop closes a session that is opened too late.
func openSession[T any](ctx context.Context, f func() (T, error), drop func(T)) (T, error) {
	deadline := time.Now().Add(sessionWait)
	for pause := sessionPause; ; pause = min(2*pause, time.Second) {
		v, err := await(ctx, 0, f, drop)
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || refused.Reason == ssh.UnknownChannelType || time.Now().Add(pause).After(deadline) {
			return v, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return v, err
		}
	}
}

// wait waits for the end of a running command, and ends it when the context ends.
func (c *Client) wait(ctx context.Context, cmd *process.Command, s *session, guard *guard) (process.Exit, error) {
	type result struct {
		exit process.Exit
		err  error
	}
	done := make(chan result, 1)
	go func() {
		exit, err := c.finish(s)
		done <- result{exit, err}
	}()
	select {
	case r := <-done:
		return r.exit, r.err
	case <-ctx.Done():
	}
	ended := context.Cause(ctx)
	grace := cmd.Grace
	if !errors.Is(ended, process.ErrTimeout) {
		grace = min(grace, process.CancelGrace)
	}
	for _, step := range []struct {
		signal ssh.Signal
		wait   time.Duration
	}{{ssh.SIGTERM, grace}, {ssh.SIGKILL, killWait}} {
		go c.signal(s, guard, step.signal) // on a broken connection, it would block
		select {
		case r := <-done:
			if errors.Is(r.err, ErrLost) {
				return process.Exit{Code: -1, Ended: ended, Stuck: 1}, nil
			}
			r.exit.Ended = ended
			return r.exit, r.err
		case <-time.After(step.wait):
		}
	}
	return process.Exit{Code: -1, Ended: ended, Stuck: 1}, nil
}

// signal signals the process group of the command: by the protocol (RFC 4254, 6.9), and by
// another command, since OpenSSH refuses the signals of the protocol in sessions of root
// (session_signal_req in its session.c).
func (c *Client) signal(s *session, guard *guard, signal ssh.Signal) {
	_, _ = s.channel.SendRequest("signal", false, ssh.Marshal(struct{ Name string }{string(signal)}))
	if s.leader.id <= 1 || guard.signal(s.leader, string(signal)) {
		return
	}
	if another, err := c.NewSession(); err == nil {
		defer another.Close()
		_ = another.Run(fmt.Sprintf("kill -s %s -- %s", signal, s.leader.target())) // it may be gone; dash does not support -KILL before --
	}
}

// killWait is how long a machine may take to kill a command.
const killWait = 2 * time.Second
