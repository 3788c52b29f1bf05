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

// ErrLost is the error of a command whose end nobody knows: the connection broke.
var ErrLost = errors.New("the connection broke while it ran, and nobody knows what it did")

// bootstrap is all that the machine's log-in shell gets to see, whatever shell
// that is: it reads the script from the beginning of stdin, byte by byte so that
// the rest of stdin is the command's. So nothing of a command stands in the
// arguments of a shell, where other users could read what env holds.
const bootstrap = `exec /bin/sh -c 'eval "$(dd bs=1 count=%d 2>/dev/null)"'`

// Run runs a command: its Args, with its Env added to what the machine gives, in
// its Dir, the user's home where it is "". Its Path is not looked at.
//
// An error says that it did not start (*process.StartError), or that nobody knows
// how it ended (ErrLost).
func (c *Client) Run(ctx context.Context, cmd *process.Command) (process.Exit, error) {
	script, err := script(cmd)
	if err != nil {
		return process.Exit{}, &process.StartError{Err: err}
	}
	ctx, stop := cmd.WithTimeout(ctx)
	defer stop()
	s, err := c.session(ctx)
	if err != nil {
		return process.Exit{}, &process.StartError{Err: fmt.Errorf("the machine opens no session: %w", err)}
	}
	group := newGroup(cmd.Stderr)
	script = group.tell() + script
	stdin := io.Reader(strings.NewReader(script))
	if cmd.Stdin != nil {
		stdin = io.MultiReader(stdin, cmd.Stdin)
	}
	s.Stdin, s.Stdout, s.Stderr = stdin, cmd.Stdout, group
	done := make(chan error, 1)
	go func() {
		if err := s.Start(fmt.Sprintf(bootstrap, len(script))); err != nil {
			// The script is sent once this is answered: nothing was done.
			done <- &process.StartError{Err: fmt.Errorf("the machine starts no command: %w", err)}
			return
		}
		done <- s.Wait()
	}()
	return c.wait(ctx, cmd, s, group, done)
}

// session opens a session. A connection that broke without a word does not answer
// until keepAlive finds out, and no call waits for that.
func (c *Client) session(ctx context.Context) (*ssh.Session, error) {
	return opened(ctx, c.NewSession, func(late *ssh.Session) { late.Close() })
}

const (
	// sessionWait is how long a machine is asked again that opens no more sessions.
	sessionWait = 30 * time.Second
	// sessionPause is how long the first time.
	sessionPause = 10 * time.Millisecond
)

// opened is what f opens a session for. A machine has few of them for a connection,
// and those that have ended count for a moment, as do those of transfers: it refuses
// one more, and nothing was done.
func opened[T any](ctx context.Context, f func() (T, error), drop func(T)) (T, error) {
	deadline := time.Now().Add(sessionWait)
	for pause := sessionPause; ; pause = min(2*pause, time.Second) {
		v, err := within(ctx, 0, f, drop)
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

// wait is for the end of a command that runs, which comes by itself or is made.
func (c *Client) wait(ctx context.Context, cmd *process.Command, s *ssh.Session, g *group, done <-chan error) (process.Exit, error) {
	select {
	case err := <-done:
		s.Close()
		g.done()
		return c.exit(err, nil)
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
		go c.signal(s, g, step.signal, step.wait) // a broken connection would hold it up
		select {
		case err := <-done:
			s.Close()
			g.done()
			return c.exit(err, ended)
		case <-time.After(step.wait):
		}
	}
	// A machine may be so slow that the command has not begun: it is ended when it
	// does, and the call does not wait for that.
	go func() {
		defer s.Close()
		c.signal(s, g, ssh.SIGKILL, lateWait)
	}()
	return process.Exit{Code: -1, Ended: ended, Stuck: 1}, nil
}

// lateWait is how long a command is waited for that was ended before it began.
const lateWait = idleTime / 2

// signal asks the machine to signal the command's process group: by the protocol
// (RFC 4254, 6.9), and by a command where servers refuse that. It waits for the
// command to begin, for as long as it is given.
func (c *Client) signal(s *ssh.Session, g *group, signal ssh.Signal, limit time.Duration) {
	_ = s.Signal(signal)
	leader := g.leader(limit)
	if leader <= 1 {
		return
	}
	if another, err := c.NewSession(); err == nil {
		defer another.Close()
		_ = another.Run(fmt.Sprintf("kill -s %s -- -%d", signal, leader)) // it may be gone; dash knows no -KILL before --
	}
}

// killWait is how long a machine may take to end a command that it has to kill.
const killWait = 2 * time.Second

// exit is what the end of a session says of the command.
func (c *Client) exit(err, ended error) (process.Exit, error) {
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

// script is the command as a shell script that becomes it.
func script(cmd *process.Command) (string, error) {
	var b strings.Builder
	for _, e := range cmd.Env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || !isName(name) {
			return "", fmt.Errorf("%q is not a valid name of an environment variable on another machine: letters, digits and _", name)
		}
		b.WriteString("export " + name + "=" + quoted(value) + "\n")
	}
	if cmd.Dir != "" {
		// A failing cd must not let the command run elsewhere.
		b.WriteString("cd -- " + quoted(dashed(cmd.Dir)) + " || exit 126\n")
	}
	b.WriteString("exec")
	if strings.HasPrefix(cmd.Args[0], "-") {
		return "", fmt.Errorf("the program %q begins with a dash", cmd.Args[0])
	}
	for _, arg := range cmd.Args {
		b.WriteString(" " + quoted(arg))
	}
	if strings.ContainsRune(b.String(), 0) {
		return "", errors.New("an argument, a variable or the folder holds a NUL character, which none can")
	}
	return b.String(), nil
}

// dashed is a folder as cd takes it: "-" alone would be the one before.
func dashed(dir string) string {
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

// quoted is a text as one word of a POSIX shell (XCU 2.2.2): within single quotes
// each character stands for itself, but for the quote.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
