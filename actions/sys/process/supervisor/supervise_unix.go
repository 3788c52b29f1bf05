//go:build unix

package supervisor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

const (
	// pollEvery is how often orphans are reaped while nothing else happens.
	pollEvery = time.Second
	// killEvery is how often remaining processes are searched and killed.
	killEvery = 5 * time.Millisecond
	// stuckAfter is how long killing may take. A process that waits for a device cannot be
	// killed.
	stuckAfter = 10 * time.Second
	// announceAfter is how long a command runs before its process id is sent to the provider.
	announceAfter = 20 * time.Millisecond
	// busyFor is how long a program may be open for writing before its start fails.
	busyFor = 2 * time.Second
)

// supervise serves the provider at the other end of the socket until that is closed.
//
// It runs on one thread, which waits in poll(2) for all events: passing events between
// threads would cost as much as starting a command.
func supervise() {
	if !hasSocket() {
		return
	}
	syscall.CloseOnExec(Socket)
	closeInheritedOnExec()
	// A command dies with the thread that started it.
	runtime.LockOSThread()
	adoptOrphans()
	catchSignals()
	s := &supervisor{}
	if g, err := newGuard(); err == nil {
		s.guard = g
	}
	s.send(Ready)
	for {
		f, err := s.receive()
		if err != nil || f.kind == Start && !s.serveCommand(f) {
			return
		}
	}
}

// hasSocket reports whether this process has the socket of a provider. Otherwise it prints an error.
func hasSocket() bool {
	kind, err := syscall.GetsockoptInt(Socket, syscall.SOL_SOCKET, syscall.SO_TYPE)
	if err == nil && kind == syscall.SOCK_STREAM {
		return true
	}
	fmt.Fprintln(os.Stderr, "only declprov itself starts this process")
	return false
}

// catchSignals makes this process outlive the signals that end the provider. It does not ignore
// them, because commands would inherit that.
func catchSignals() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}

// supervisor communicates with the provider.
type supervisor struct {
	// guard is nil if the system is out of files. A command then outlives a supervisor that is
	// killed together with the provider.
	guard *guard
}

// frame is a frame of the provider.
type frame struct {
	kind   FrameKind
	fields []string
	files  []int
}

// receive waits for the next frame of the provider. An error means that the provider is gone.
func (s *supervisor) receive() (frame, error) {
	r := &receiver{}
	kind, fields, err := ReadFrame(r)
	return frame{kind: kind, fields: fields, files: r.files}, err
}

// send sends a frame. If the provider is gone, the next receive reports it.
func (s *supervisor) send(kind FrameKind, fields ...string) {
	message := AppendFrame(nil, kind, fields...)
	for len(message) > 0 {
		n, err := syscall.Write(Socket, message)
		if err != nil && err != syscall.EINTR {
			return
		}
		message = message[max(n, 0):]
	}
}

// serveCommand runs one command, and reports whether the supervisor can run another.
func (s *supervisor) serveCommand(f frame) bool {
	req, err := ParseRequest(f.fields)
	if err != nil || len(f.files) != 3 {
		s.send(Failed, encodeError(syscall.EINVAL))
		return true
	}
	pid, err := start(req, f.files)
	for _, fd := range f.files {
		_ = syscall.Close(fd)
	}
	if err != nil {
		s.send(Failed, encodeError(err))
		return true
	}
	s.guard.watch(pid)
	defer s.guard.watch(0)
	r := &runningCommand{commandFamily: commandFamily{leader: pid}, grace: req.Grace}
	exit, gone := s.waitForEnd(r)
	if gone {
		for _, folder := range req.Scratch {
			_ = sandbox.RemoveScratch(folder) // nobody can be notified of an error
		}
	}
	s.send(Exited, exit.Fields()...)
	return !gone && !exit.Left
}

// start starts the command, confined if it has rules.
func start(req Request, files []int) (pid int, err error) {
	attr := &syscall.ProcAttr{Dir: req.Dir, Env: req.Env, Sys: newGroupAttr()}
	for _, fd := range files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	if req.Rules == "" {
		return forkExec(req, attr)
	}
	var rules sandbox.Rules
	if err := json.Unmarshal([]byte(req.Rules), &rules); err != nil {
		return 0, fmt.Errorf("parsing the sandbox rules: %w", err)
	}
	// The thread that starts the command ends immediately.
	outliveThread(attr.Sys)
	err = rules.StartConfined(func() error {
		pid, err = forkExec(req, attr)
		return err
	})
	return pid, err
}

// forkExec starts a program. One that the provider has just written may still be open for writing in a process that the
// provider was starting meanwhile, until that process executes its own program (https://go.dev/issue/22315).
func forkExec(req Request, attr *syscall.ProcAttr) (pid int, err error) {
	for end := time.Now().Add(busyFor); ; time.Sleep(killEvery) {
		pid, err = syscall.ForkExec(req.Path, req.Args, attr)
		if err != syscall.ETXTBSY || time.Now().After(end) {
			return pid, err
		}
	}
}

// encodeError returns an error as the field of a frame.
func encodeError(err error) string {
	if errno, ok := err.(syscall.Errno); ok {
		return strconv.Itoa(int(errno))
	}
	return err.Error()
}

// runningCommand is the command that is running.
type runningCommand struct {
	commandFamily
	grace time.Duration
	// exited says that the command itself has exited, with status.
	exited bool
	status syscall.WaitStatus
	// childless says that this process has no children.
	childless bool
	// ending says that the command is being ended: by SIGTERM until killAt, then by SIGKILL.
	ending bool
	killAt time.Time
}

// waitForEnd waits for the end of a command. It ends the command if the provider requests it
// or is gone.
func (s *supervisor) waitForEnd(r *runningCommand) (exit Exit, gone bool) {
	died, forget := watchExit(r.leader)
	defer forget()
	began := time.Now()
	announced := false
	for {
		r.reap()
		now := time.Now()
		switch {
		case r.ending && r.allEnded():
			return r.exitStatus(false), gone
		case !r.ending && r.exited:
			return r.exitStatus(!r.childless), gone
		case r.ending && now.After(r.killAt.Add(stuckAfter)):
			out := r.exitStatus(true)
			out.Stuck = len(r.members())
			return out, gone
		case r.ending && now.After(r.killAt):
			r.signal(syscall.SIGKILL)
		}
		limit := pollEvery
		switch {
		case r.ending:
			limit = killEvery // not every exit causes an event: see allEnded
		case !announced && now.Sub(began) >= announceAfter:
			s.send(Started, strconv.Itoa(r.leader))
			announced = true
		case !announced:
			limit = announceAfter - now.Sub(began)
		}
		if died < 0 {
			limit = min(limit, killEvery)
		}
		if !pollEvents(died, r.exited, gone, limit) {
			continue
		}
		f, err := s.receive()
		gone = err != nil
		r.handleFrame(f, gone)
	}
}

// handleFrame ends the command if the provider requests it or is gone. A second request can
// shorten the grace period.
func (r *runningCommand) handleFrame(f frame, gone bool) {
	grace := r.grace
	switch {
	case gone:
	case f.kind == End && len(f.fields) == 1:
		grace, _ = parseMilliseconds(f.fields[0])
	default:
		return
	}
	kill := time.Now().Add(grace)
	if r.ending && kill.After(r.killAt) {
		return
	}
	r.killAt = kill
	if !r.ending {
		r.ending = true
		r.signal(syscall.SIGTERM)
		r.signal(syscall.SIGCONT) // a stopped process cannot end
	}
}

// pollEvents waits for an event or for the limit, and reports whether the provider has sent
// something or is gone.
func pollEvents(died int, exited, gone bool, limit time.Duration) (said bool) {
	fds := []unix.PollFd{{Fd: Socket, Events: unix.POLLIN}, {Fd: int32(died), Events: unix.POLLIN}}
	if gone {
		fds[0].Fd = -1 // the socket is closed
	}
	if exited {
		fds[1].Fd = -1
	}
	_, err := unix.Poll(fds, int(max(limit, time.Millisecond)/time.Millisecond))
	return err == nil && fds[0].Revents != 0
}

// reap reaps all ended children.
func (r *runningCommand) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			r.childless = true
			return
		case pid == 0:
			return
		case pid == r.leader:
			r.exited, r.status = true, status
		}
	}
}

func (r *runningCommand) exitStatus(left bool) Exit {
	out := Exit{Left: left}
	switch {
	case r.status.Signaled():
		out.Code, out.Signal = -1, int(r.status.Signal())
	case r.exited:
		out.Code = r.status.ExitStatus()
	default:
		out.Code = -1
	}
	return out
}

// receiver reads from the socket, and keeps the files that are sent with the bytes.
type receiver struct{ files []int }

func (r *receiver) Read(b []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(3*4))
	for {
		n, oobn, _, _, err := syscall.Recvmsg(Socket, b, oob, 0)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		r.keepFiles(oob[:oobn])
		return n, nil
	}
}

func (r *receiver) keepFiles(oob []byte) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	for i := range messages {
		fds, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
		}
		r.files = append(r.files, fds...)
	}
}
