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
	// lookEvery is how often a command is looked after that nobody speaks of: what
	// it has orphaned and has ended is to be reaped.
	lookEvery = time.Second
	// killEvery is how often what is to be ended is looked for, and killed.
	killEvery = 5 * time.Millisecond
	// stuckAfter is how long killing may take: a process that waits for a device
	// cannot be ended at all.
	stuckAfter = 10 * time.Second
	// tellAfter is how long a command runs before its provider is told its id.
	tellAfter = 20 * time.Millisecond
)

// supervise serves the provider at the other end of the socket until it is gone.
//
// It is one thread, which waits in poll(2) for whatever comes: to hand what came
// from thread to thread would cost as much as to start a command.
func supervise() {
	if kind, err := syscall.GetsockoptInt(Socket, syscall.SOL_SOCKET, syscall.SO_TYPE); err != nil || kind != syscall.SOCK_STREAM {
		fmt.Fprintln(os.Stderr, "this is for declprov alone to start")
		return
	}
	syscall.CloseOnExec(Socket)
	withhold()
	// A command dies with the thread that started it.
	runtime.LockOSThread()
	adopt()
	// Caught, and not ignored: what is ignored, commands would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	s := &supervisor{}
	s.say(Ready)
	for {
		f, err := s.hear()
		if err != nil || f.kind == Start && !s.command(f) {
			return
		}
	}
}

// supervisor is the state of this process.
type supervisor struct{}

// frame is one of the provider's.
type frame struct {
	kind   Kind
	fields []string
	files  []int
}

// hear waits for the provider's next frame. The error says that it is gone.
func (s *supervisor) hear() (frame, error) {
	r := &receiver{}
	kind, fields, err := Read(r)
	return frame{kind: kind, fields: fields, files: r.files}, err
}

// say tells the provider; that one is gone, the next hear says.
func (s *supervisor) say(kind Kind, fields ...string) {
	message := Append(nil, kind, fields...)
	for len(message) > 0 {
		n, err := syscall.Write(Socket, message)
		if err != nil && err != syscall.EINTR {
			return
		}
		message = message[max(n, 0):]
	}
}

// command runs one command, and reports whether there may be another.
func (s *supervisor) command(f frame) bool {
	req, err := ParseRequest(f.fields)
	if err != nil || len(f.files) != 3 {
		s.say(Failed, reason(syscall.EINVAL))
		return true
	}
	pid, err := start(req, f.files)
	for _, fd := range f.files {
		_ = syscall.Close(fd)
	}
	if err != nil {
		s.say(Failed, reason(err))
		return true
	}
	r := &running{family: family{leader: pid}, grace: req.Grace}
	exit, gone := s.follow(r)
	if gone {
		for _, folder := range req.Scratch {
			_ = sandbox.Clear(folder) // nobody is there to be told
		}
	}
	s.say(Exited, exit.Fields()...)
	return !gone && !exit.Left
}

// start starts the command, confined where it is to be.
func start(req Request, files []int) (pid int, err error) {
	attr := &syscall.ProcAttr{Dir: req.Dir, Env: req.Env, Sys: ownGroup()}
	for _, fd := range files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	if req.Rules == "" {
		return syscall.ForkExec(req.Path, req.Args, attr)
	}
	var rules sandbox.Rules
	if err := json.Unmarshal([]byte(req.Rules), &rules); err != nil {
		return 0, fmt.Errorf("the rules of its sandbox: %w", err)
	}
	// The thread that starts it ends at once.
	outliveThread(attr.Sys)
	err = rules.Within(func() error {
		pid, err = syscall.ForkExec(req.Path, req.Args, attr)
		return err
	})
	return pid, err
}

// reason is an error as a frame has it.
func reason(err error) string {
	if errno, ok := err.(syscall.Errno); ok {
		return strconv.Itoa(int(errno))
	}
	return err.Error()
}

// running is the command that runs.
type running struct {
	family
	grace time.Duration
	// exited says that the command itself has, by status.
	exited bool
	status syscall.WaitStatus
	// childless says that nothing at all is left below this process.
	childless bool
	// ending says that it is being ended: by TERM until the time kill, then by
	// KILL.
	ending bool
	kill   time.Time
}

// follow waits for a command's end, or brings it about where the provider asks for
// it or is gone.
func (s *supervisor) follow(r *running) (exit Exit, gone bool) {
	died, forget := watch(r.leader)
	defer forget()
	began := time.Now()
	told := false
	for {
		r.reap()
		now := time.Now()
		switch {
		case r.ending && r.extinct():
			return r.exit(false), gone
		case !r.ending && r.exited:
			return r.exit(!r.childless), gone
		case r.ending && now.After(r.kill.Add(stuckAfter)):
			out := r.exit(true)
			out.Stuck = len(r.members())
			return out, gone
		case r.ending && now.After(r.kill):
			r.signal(syscall.SIGKILL)
		}
		limit := lookEvery
		switch {
		case r.ending:
			limit = killEvery // not all ends are told: see extinct
		case !told && now.Sub(began) >= tellAfter:
			s.say(Started, strconv.Itoa(r.leader))
			told = true
		case !told:
			limit = tellAfter - now.Sub(began)
		}
		if died < 0 {
			limit = min(limit, killEvery)
		}
		if !wait(died, r.exited, gone, limit) {
			continue
		}
		f, err := s.hear()
		gone = err != nil
		r.asked(f, gone)
	}
}

// asked ends the command where the provider says so, or is gone; asked again, it
// has less time.
func (r *running) asked(f frame, gone bool) {
	grace := r.grace
	switch {
	case gone:
	case f.kind == End && len(f.fields) == 1:
		grace, _ = milliseconds(f.fields[0])
	default:
		return
	}
	kill := time.Now().Add(grace)
	if r.ending && kill.After(r.kill) {
		return
	}
	r.kill = kill
	if !r.ending {
		r.ending = true
		r.signal(syscall.SIGTERM)
		r.signal(syscall.SIGCONT) // what is stopped cannot end
	}
}

// wait returns when something has happened, or after a time, and reports whether
// the provider has said something or is gone.
func wait(died int, exited, gone bool, limit time.Duration) (said bool) {
	fds := []unix.PollFd{{Fd: Socket, Events: unix.POLLIN}, {Fd: int32(died), Events: unix.POLLIN}}
	if gone {
		fds[0].Fd = -1 // there is nothing more to come
	}
	if exited {
		fds[1].Fd = -1
	}
	_, err := unix.Poll(fds, int(max(limit, time.Millisecond)/time.Millisecond))
	return err == nil && fds[0].Revents != 0
}

// reap takes the statuses of what has ended.
func (r *running) reap() {
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

func (r *running) exit(left bool) Exit {
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

// receiver reads from the socket, and keeps the files that come with the bytes.
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
		r.keep(oob[:oobn])
		return n, nil
	}
}

func (r *receiver) keep(oob []byte) {
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
