package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/declprov/declprov/actions/sys/process"
)

// ErrLost is the error of a command whose outcome is unknown, because the connection broke.
var ErrLost = errors.New("the connection broke while the command was running, so its effect is unknown")

// bootstrap is the command line for the login shell of the machine, which may be any shell.
// It reads the script from the beginning of stdin, byte by byte so that the rest of stdin
// remains for the command. So no argument of a shell contains anything of the command: other
// users could read secrets of its environment there.
const bootstrap = `exec /bin/sh -c 'eval "$(dd bs=1 count=%d 2>/dev/null)"'`

// Run runs a command with its Args, in its Dir ("" is the user's home). Its Env is added to
// the environment of the machine. Its Path is ignored.
//
// The error is a *process.StartError if the command did not start, or ErrLost if its outcome
// is unknown.
func (c *Client) Run(ctx context.Context, cmd *process.Command) (process.Exit, error) {
	script, err := buildScript(cmd)
	if err != nil {
		return process.Exit{}, &process.StartError{Err: err}
	}
	ctx, stop := cmd.WithTimeout(ctx)
	defer stop()
	s, err := c.session(ctx)
	if err != nil {
		return process.Exit{}, &process.StartError{Err: fmt.Errorf("the machine did not open a session: %w", err)}
	}
	group := newGroup(cmd.Stderr)
	script = group.announcement() + script
	stdin := io.Reader(strings.NewReader(script))
	if cmd.Stdin != nil {
		stdin = io.MultiReader(stdin, cmd.Stdin)
	}
	s.Stdin, s.Stdout, s.Stderr = stdin, cmd.Stdout, group
	done := make(chan error, 1)
	go func() {
		if err := s.Start(fmt.Sprintf(bootstrap, len(script))); err != nil {
			// The script is only sent after the response, so nothing was done.
			done <- &process.StartError{Err: fmt.Errorf("the machine did not start the command: %w", err)}
			return
		}
		done <- s.Wait()
	}()
	return c.wait(ctx, cmd, s, group, done)
}

// session opens a session. A connection that broke silently does not respond until keepAlive
// detects it, so session returns when the context ends.
func (c *Client) session(ctx context.Context) (*ssh.Session, error) {
	return openSession(ctx, c.NewSession, func(late *ssh.Session) { late.Close() })
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
func (c *Client) wait(ctx context.Context, cmd *process.Command, s *ssh.Session, g *group, done <-chan error) (process.Exit, error) {
	select {
	case err := <-done:
		s.Close()
		g.flush()
		return c.exitOf(err, nil)
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
		go c.signal(s, g, step.signal, step.wait) // on a broken connection, it would block
		select {
		case err := <-done:
			s.Close()
			g.flush()
			return c.exitOf(err, ended)
		case <-time.After(step.wait):
		}
	}
	// A slow machine may not have started the command yet. It is ended when it starts, and
	// the call does not wait for that.
	go func() {
		defer s.Close()
		c.signal(s, g, ssh.SIGKILL, lateWait)
	}()
	return process.Exit{Code: -1, Ended: ended, Stuck: 1}, nil
}

// lateWait is how long to wait for the start of a command that was ended before it started.
const lateWait = idleTime / 2

// signal signals the process group of the command: by the protocol (RFC 4254, 6.9), and by
// another command, since servers may refuse the first. It waits for the start of the command
// for at most limit.
func (c *Client) signal(s *ssh.Session, g *group, signal ssh.Signal, limit time.Duration) {
	_ = s.Signal(signal)
	leader := g.leader(limit)
	if leader <= 1 {
		return
	}
	if another, err := c.NewSession(); err == nil {
		defer another.Close()
		_ = another.Run(fmt.Sprintf("kill -s %s -- -%d", signal, leader)) // the group may be gone; dash does not support -KILL before --
	}
}

// killWait is how long a machine may take to kill a command.
const killWait = 2 * time.Second

// exitOf returns the exit of a command from the error of its session.
func (c *Client) exitOf(err, ended error) (process.Exit, error) {
	var exited *ssh.ExitError
	var start *process.StartError
	switch {
	case errors.As(err, &start):
		return process.Exit{}, err
	case err == nil:
		return process.Exit{Ended: ended}, nil
	case errors.As(err, &exited) && exited.Signal() != "":
		return process.Exit{Code: -1, Signal: "SIG" + exited.Signal(), Ended: ended}, nil
	case errors.As(err, &exited):
		return process.Exit{Code: exited.ExitStatus(), Ended: ended}, nil
	case ended != nil:
		return process.Exit{Code: -1, Ended: ended}, nil
	default:
		return process.Exit{}, fmt.Errorf("%w: %w", ErrLost, err)
	}
}

// buildScript returns a shell script that is replaced by the command.
func buildScript(cmd *process.Command) (string, error) {
	var b strings.Builder
	for _, e := range cmd.Env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || !isName(name) {
			return "", fmt.Errorf("%q is not a valid name of an environment variable on another machine; use letters, digits and _", name)
		}
		b.WriteString("export " + name + "=" + shellQuote(value) + "\n")
	}
	if cmd.Dir != "" {
		// If cd fails, the command must not run in another folder.
		b.WriteString("cd -- " + shellQuote(cdArgument(cmd.Dir)) + " || exit 126\n")
	}
	b.WriteString("exec")
	if strings.HasPrefix(cmd.Args[0], "-") {
		return "", fmt.Errorf("the program %q begins with a dash", cmd.Args[0])
	}
	for _, arg := range cmd.Args {
		b.WriteString(" " + shellQuote(arg))
	}
	if strings.ContainsRune(b.String(), 0) {
		return "", errors.New("an argument, a variable or the folder contains a NUL character, which is not allowed")
	}
	return b.String(), nil
}

// cdArgument returns a folder as an argument of `cd --`, to which "-" is the previous folder.
// Some shells take a leading dash as an option even after the two dashes.
func cdArgument(dir string) string {
	if strings.HasPrefix(dir, "-") {
		return "./" + dir
	}
	return dir
}

func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// shellQuote quotes a text as one word of a POSIX shell (XCU 2.2.2).
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
