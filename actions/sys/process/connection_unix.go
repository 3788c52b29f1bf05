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

// patience is how long a supervisor may take to say that what it was to end is
// ended: longer than it tries.
const patience = 15 * time.Second

// connection is the socket to a supervisor that runs.
type connection struct {
	conn    *net.UnixConn
	process *os.Process
	// patience is how long it may keep silent after a command's grace.
	patience time.Duration
	expiry   *time.Timer
}

// socketPair is a socket, ours with Go's poller, theirs to be inherited.
func socketPair() (*net.UnixConn, *os.File, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a socket for it: %w", err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "supervisor"), os.NewFile(uintptr(fds[1]), "provider")
	defer ours.Close() // conn has a descriptor of its own
	conn, err := net.FileConn(ours)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("a socket for it: %w", err)
	}
	return conn.(*net.UnixConn), theirs, nil
}

func (s *connection) close() { _ = s.conn.Close() }

// ready waits until it can be asked.
func (s *connection) ready(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := s.conn.SetReadDeadline(time.Now().Add(readyTime)); err != nil {
		return err
	}
	kind, _, err := supervisor.Read(s.conn)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || kind != supervisor.Ready:
		return errors.New("it does not answer; a binary that runs commands has to call supervisor.Main first")
	}
	return s.conn.SetReadDeadline(time.Time{})
}

// lives reports whether an idle supervisor is still there.
func (s *connection) lives() bool {
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
		return Exit{}, true, notStarted("pipes for it: %w", err)
	}
	defer pipes.close()
	if err := s.start(c, pipes); err != nil {
		return Exit{}, false, err
	}
	pipes.follow(c)
	answers := make(chan answer, 1)
	go s.listen(answers)
	a, why := s.wait(ctx, c, answers)
	if a.err != nil {
		// The supervisor is gone, by whatever hand, and with it the command (its
		// parent's death is its own, on Linux), but not what that has started.
		_ = s.process.Kill()
		supervisor.EndSession(s.process.Pid, a.pid)
	}
	pipes.drain()
	if a.kind == supervisor.Failed {
		err := failure(a.fields)
		return Exit{}, errors.As(err, new(*StartError)), err
	}
	ended, parsed := supervisor.ParseExit(a.fields)
	switch {
	case a.err != nil && why != nil:
		return Exit{Code: -1, Ended: why}, false, nil
	case a.err != nil || a.kind != supervisor.Exited || parsed != nil:
		return Exit{}, false, errors.New("its supervisor was ended, so how it ended is not known")
	}
	exit = Exit{Code: ended.Code, Ended: why, Stuck: ended.Stuck}
	if ended.Signal != 0 {
		exit.Signal = unix.SignalName(syscall.Signal(ended.Signal))
	}
	return exit, !ended.Left, nil
}

// answer is how a command ended, or that it did not start.
type answer struct {
	kind   supervisor.Kind
	fields []string
	err    error
	// pid is the command's, 0 where it was over at once.
	pid int
}

// listen waits for the end of a command.
func (s *connection) listen(answers chan<- answer) {
	var a answer
	for {
		a.kind, a.fields, a.err = supervisor.Read(s.conn)
		if a.err != nil || a.kind != supervisor.Started || len(a.fields) != 1 {
			break
		}
		a.pid, _ = strconv.Atoi(a.fields[0])
	}
	answers <- a
}

// failure is why a command did not start.
func failure(fields []string) error {
	if len(fields) != 1 {
		return errors.New("its supervisor does not say why it did not start")
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return &StartError{Err: errors.New(fields[0])}
	}
	return &StartError{Err: syscall.Errno(number)}
}

// start sends the command.
func (s *connection) start(c Command, p *pipes) error {
	req := supervisor.Request{Path: c.Path, Dir: c.Dir, Args: c.Args, Env: c.Env, Grace: c.Grace, Scratch: c.Scratch}
	if c.Box != nil {
		rules, err := json.Marshal(c.Box.Rules)
		if err != nil {
			return notStarted("the rules of its sandbox: %w", err)
		}
		req.Rules, req.Scratch = string(rules), append(slices.Clip(c.Scratch), c.Box.Scratch)
	}
	message := supervisor.Append(nil, supervisor.Start, req.Fields()...)
	defer p.closeTheirs()
	n, _, err := s.conn.WriteMsgUnix(message, syscall.UnixRights(p.descriptors()...), nil)
	if err == nil && n < len(message) {
		_, err = s.conn.Write(message[n:])
	}
	if err != nil {
		return notStarted("its supervisor is gone: %w", err)
	}
	return nil
}

// wait waits for the command's end, and brings it about when its time is up.
func (s *connection) wait(ctx context.Context, c Command, answers <-chan answer) (answer, error) {
	limited, stop := c.Limited(ctx)
	defer stop()
	select {
	case a := <-answers:
		return a, nil
	case <-limited.Done():
	}
	why := context.Cause(limited)
	if errors.Is(why, ErrTimeout) {
		defer s.end(c.Grace)()
		select {
		case a := <-answers:
			return a, why
		case <-ctx.Done(): // the host has stopped waiting meanwhile
		}
	}
	defer s.end(min(c.Grace, CancelGrace))()
	return <-answers, why
}

// end asks that the command be ended; a supervisor that is gone answers anyway. One
// that does not is ended itself, unless that is called off: a command that has
// stopped it would keep its provider waiting for ever.
func (s *connection) end(grace time.Duration) (callOff func() bool) {
	_, _ = s.conn.Write(supervisor.Append(nil, supervisor.End, strconv.FormatInt(grace.Milliseconds(), 10)))
	return time.AfterFunc(grace+s.patience, func() { _ = s.process.Kill() }).Stop
}
