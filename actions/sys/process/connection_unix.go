//go:build unix

package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
)

// patience is how long a supervisor may take to report that a command was ended. It is longer
// than a supervisor tries to end one.
const patience = 15 * time.Second

// connection is the connection to a running supervisor.
type connection struct {
	conn *net.UnixConn
	// process is the process that this one has started: see supervisor.FirstArgument.
	process *os.Process
	// ended is closed when the process has ended.
	ended chan struct{}
	// patience is how long the supervisor may take to respond after a command's grace.
	patience time.Duration
	expiry   *time.Timer
}

// socketPair returns the two ends of a socket: ours for this process, theirs for the
// supervisor to inherit.
func socketPair() (*net.UnixConn, *os.File, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("create a socket for the supervisor: %w", err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "supervisor"), os.NewFile(uintptr(fds[1]), "provider")
	defer ours.Close() // conn duplicates the descriptor
	conn, err := net.FileConn(ours)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("create a socket for the supervisor: %w", err)
	}
	return conn.(*net.UnixConn), theirs, nil
}

func (s *connection) close() { _ = s.conn.Close() }

// waitReady waits until the supervisor accepts commands.
func (s *connection) waitReady(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := s.conn.SetReadDeadline(time.Now().Add(readyTime)); err != nil {
		return err
	}
	kind, _, err := supervisor.ReadFrame(s.conn)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the process that supervises commands did not become ready: %w (a Go program that embeds declprov must call supervisor.Main first in main)", err)
	case kind != supervisor.Ready:
		return fmt.Errorf("the process that supervises commands sent message %d before it was ready", kind)
	}
	return s.conn.SetReadDeadline(time.Time{})
}

// isAlive reports whether an idle supervisor is still running.
func (s *connection) isAlive() bool {
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return false
	}
	alive := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		alive = errors.Is(err, syscall.EAGAIN)
		return true
	})
	return err == nil && alive
}

// run runs one command, and reports whether the supervisor can run another.
func (s *connection) run(ctx context.Context, c Command) (exit Exit, reusable bool, err error) {
	pipes, err := openPipes(c)
	if err != nil {
		return Exit{}, true, notStarted("create pipes for the command: %w", err)
	}
	defer pipes.close()
	if err := s.start(c, pipes); err != nil {
		return Exit{}, false, err
	}
	pipes.copy(c)
	responses := make(chan response, 1)
	go s.listen(responses)
	a, why := s.wait(ctx, c, responses)
	if a.err != nil {
		s.abandon(a.pid) // the supervisor died
	}
	pipes.drain()
	if a.kind == supervisor.Failed {
		err := startFailure(a.fields)
		return Exit{}, errors.As(err, new(*StartError)), err
	}
	ended, parsed := supervisor.ParseExit(a.fields)
	switch {
	case a.err != nil && why != nil:
		return Exit{Code: -1, Ended: why}, false, nil
	case a.err != nil || a.kind != supervisor.Exited || parsed != nil:
		return Exit{}, false, errors.New("its supervisor died, so it is not known how the command ended")
	}
	exit = Exit{Code: ended.Code, Ended: why, Stuck: ended.Stuck}
	if ended.Signal != 0 {
		exit.Signal = unix.SignalName(syscall.Signal(ended.Signal))
	}
	return exit, !ended.Left, nil
}

// response is the supervisor's report that a command ended, or that it did not start.
type response struct {
	kind   supervisor.FrameKind
	fields []string
	err    error
	// pid is the process id of the command, or 0 if it did not start.
	pid int
}

// listen reads the supervisor's frames until the command has ended.
func (s *connection) listen(responses chan<- response) {
	var a response
	for {
		a.kind, a.fields, a.err = supervisor.ReadFrame(s.conn)
		if a.err != nil || a.kind != supervisor.Started || len(a.fields) != 1 {
			break
		}
		a.pid, _ = strconv.Atoi(a.fields[0])
	}
	responses <- a
}

// startFailure returns the error of a command that did not start.
func startFailure(fields []string) error {
	if len(fields) != 1 {
		return errors.New("the command did not start, and its supervisor did not report why")
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return &StartError{Err: errors.New(fields[0])}
	}
	return &StartError{Err: syscall.Errno(number)}
}

// start sends the command to the supervisor.
func (s *connection) start(c Command, p *pipes) error {
	req := supervisor.Request{Path: c.Path, Dir: c.Dir, Args: c.Args, Env: c.Env, Grace: c.Grace, Scratch: c.Scratch}
	if c.Box != nil {
		rules, err := json.Marshal(c.Box.Rules)
		if err != nil {
			return notStarted("encode the rules of the sandbox: %w", err)
		}
		req.Rules, req.Scratch = string(rules), append(slices.Clip(c.Scratch), c.Box.Scratch)
	}
	message := supervisor.AppendFrame(nil, supervisor.Start, req.Fields()...)
	defer p.closeTheirs()
	n, _, err := s.conn.WriteMsgUnix(message, syscall.UnixRights(p.descriptors()...), nil)
	if err == nil && n < len(message) {
		_, err = s.conn.Write(message[n:])
	}
	if err != nil {
		return notStarted("its supervisor died: %w", err)
	}
	return nil
}

// wait waits for the end of the command, and ends it on timeout or cancellation.
func (s *connection) wait(ctx context.Context, c Command, responses <-chan response) (response, error) {
	limited, stop := c.WithTimeout(ctx)
	defer stop()
	select {
	case a := <-responses:
		return a, nil
	case <-limited.Done():
	}
	why := context.Cause(limited)
	if errors.Is(why, ErrTimeout) {
		defer s.end(c.Grace)()
		select {
		case a := <-responses:
			return a, why
		case <-ctx.Done(): // the host has stopped waiting meanwhile
		}
	}
	defer s.end(min(c.Grace, CancelGrace))()
	return <-responses, why
}

// abandon ends a supervisor that died or does not respond, and what is left of its command. The
// leader is the process id of the command, or 0 if it is not known.
func (s *connection) abandon(leader int) {
	supervisor.Abandon(s.process)
	select {
	case <-s.ended:
	case <-time.After(s.patience): // a command has stopped it
		_ = s.process.Kill()
	}
	supervisor.EndSession(s.process.Pid, leader)
}

// end asks the supervisor to end the command. If the supervisor does not respond in time, it
// is ended, unless the caller calls cancel first: a command that stopped its supervisor
// (SIGSTOP) would otherwise block the provider forever.
func (s *connection) end(grace time.Duration) (cancel func() bool) {
	_, _ = s.conn.Write(supervisor.AppendFrame(nil, supervisor.End, strconv.FormatInt(grace.Milliseconds(), 10)))
	return time.AfterFunc(grace+s.patience, func() { s.abandon(0) }).Stop
}
