//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions/exec/launch"
)

// supervisor is one that runs, at the other end of a socket.
type supervisor struct {
	conn   *net.UnixConn
	expiry *time.Timer
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

func (s *supervisor) close() { _ = s.conn.Close() }

// ready waits until it can be asked.
func (s *supervisor) ready(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := s.conn.SetReadDeadline(time.Now().Add(readyTime)); err != nil {
		return err
	}
	kind, _, err := launch.Read(s.conn)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || kind != launch.Ready:
		return errors.New("it does not answer; a binary that runs commands has to call launch.Main first")
	}
	return s.conn.SetReadDeadline(time.Time{})
}

// lives reports whether an idle supervisor is still there.
func (s *supervisor) lives() bool {
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
func (s *supervisor) run(ctx context.Context, c Command) (exit Exit, reusable bool, err error) {
	pipes, err := openPipes(c)
	if err != nil {
		return Exit{}, true, notStarted("pipes for it: %w", err)
	}
	defer pipes.close()
	pid, reusable, err := s.start(c, pipes)
	if err != nil {
		return Exit{}, reusable, err
	}
	pipes.follow(c)
	answers := make(chan answer, 1)
	go func() {
		kind, fields, err := launch.Read(s.conn)
		answers <- answer{kind: kind, fields: fields, err: err}
	}()
	a, why := s.wait(ctx, c, answers)
	pipes.drain()
	ended, parsed := launch.ParseExit(a.fields)
	if a.err != nil || a.kind != launch.Exited || parsed != nil {
		// The supervisor is gone, and with it the command (its parent's death is
		// its own, on Linux); its group may not be.
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		return Exit{}, false, errors.New("its supervisor was ended, so how it ended is not known")
	}
	exit = Exit{Code: ended.Code, Ended: why, Stuck: ended.Stuck}
	if ended.Signal != 0 {
		exit.Signal = unix.SignalName(syscall.Signal(ended.Signal))
	}
	return exit, !ended.Left, nil
}

type answer struct {
	kind   launch.Kind
	fields []string
	err    error
}

// start sends the command, and gives the id of its process.
func (s *supervisor) start(c Command, p *pipes) (pid int, reusable bool, err error) {
	req := launch.Request{Path: c.Path, Dir: c.Dir, Args: c.Args, Env: c.Env, Grace: c.Grace}
	message := launch.Append(nil, launch.Start, req.Fields()...)
	defer p.closeTheirs()
	n, _, err := s.conn.WriteMsgUnix(message, syscall.UnixRights(p.descriptors()...), nil)
	if err == nil && n < len(message) {
		_, err = s.conn.Write(message[n:])
	}
	if err != nil {
		return 0, false, notStarted("its supervisor is gone: %w", err)
	}
	kind, fields, err := launch.Read(s.conn)
	if err != nil || len(fields) != 1 {
		return 0, false, fmt.Errorf("its supervisor was ended, so whether it started is not known: %w", err)
	}
	number, err := strconv.Atoi(fields[0])
	switch {
	case err != nil:
		return 0, false, err
	case kind == launch.Failed:
		return 0, true, &StartError{Err: syscall.Errno(number)}
	}
	return number, true, nil
}

// wait waits for the command's end, and brings it about when its time is up.
func (s *supervisor) wait(ctx context.Context, c Command, answers <-chan answer) (answer, error) {
	e, stop := c.ending(ctx)
	defer stop()
	var why error
	grace := c.Grace
	select {
	case a := <-answers:
		return a, nil
	case <-e.timeout:
		why = ErrTimeout
	case <-e.ctx.Done():
		why, grace = context.Cause(ctx), min(grace, cancelGrace)
	}
	_, _ = s.conn.Write(launch.Append(nil, launch.End, strconv.FormatInt(grace.Milliseconds(), 10)))
	for {
		select {
		case a := <-answers:
			return a, why
		case <-e.ctx.Done():
			if grace <= cancelGrace {
				return <-answers, why
			}
			// The host has stopped waiting during the grace of a timeout.
			grace = cancelGrace
			_, _ = s.conn.Write(launch.Append(nil, launch.End, strconv.FormatInt(grace.Milliseconds(), 10)))
		}
	}
}
