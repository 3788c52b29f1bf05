//go:build unix

package launch

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	// killEvery is how often what is to be ended is looked for, and killed.
	killEvery = 5 * time.Millisecond
	// stuckAfter is how long killing may take: a process that waits for a device
	// cannot be ended at all.
	stuckAfter = 10 * time.Second
	// tellAfter is how long a command runs before its provider is told its id.
	tellAfter = 20 * time.Millisecond
)

// supervise serves the provider at the other end of the socket until it is gone.
func supervise() {
	conn, err := socket()
	if err != nil {
		fmt.Fprintln(os.Stderr, "this is for declprov alone to start:", err)
		return
	}
	// A command dies with the thread that started it.
	runtime.LockOSThread()
	adopt()
	s := &supervisor{conn: conn, frames: make(chan frame), died: make(chan os.Signal, 1)}
	signal.Notify(s.died, syscall.SIGCHLD)
	// Caught, and not ignored: what is ignored, commands would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go s.listen()
	s.say(Ready)
	for {
		f, open := <-s.frames
		if !open {
			return
		}
		if f.kind == Start && !s.command(f) {
			return
		}
	}
}

func socket() (*net.UnixConn, error) {
	f := os.NewFile(Socket, "provider")
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	_ = f.Close() // conn has a descriptor of its own
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("descriptor %d is no socket", Socket)
	}
	return unix, nil
}

// supervisor is the state of this process.
type supervisor struct {
	conn *net.UnixConn
	// frames is closed when the provider is gone.
	frames chan frame
	died   chan os.Signal
}

// frame is one of the provider's.
type frame struct {
	kind   Kind
	fields []string
	files  []int
}

func (s *supervisor) listen() {
	defer close(s.frames)
	r := &receiver{conn: s.conn}
	for {
		r.files = nil
		kind, fields, err := Read(r)
		if err != nil {
			return
		}
		s.frames <- frame{kind: kind, fields: fields, files: r.files}
	}
}

// say tells the provider; one that is gone is noticed by listen.
func (s *supervisor) say(kind Kind, fields ...string) {
	_, _ = s.conn.Write(Append(nil, kind, fields...))
}

// command runs one command, and reports whether there may be another.
func (s *supervisor) command(f frame) bool {
	req, err := ParseRequest(f.fields)
	if err != nil || len(f.files) != 3 {
		s.say(Failed, strconv.Itoa(int(syscall.EINVAL)))
		return true
	}
	attr := &syscall.ProcAttr{Dir: req.Dir, Env: req.Env, Sys: ownGroup()}
	for _, fd := range f.files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	pid, err := syscall.ForkExec(req.Path, req.Args, attr)
	for _, fd := range f.files {
		_ = syscall.Close(fd)
	}
	if err != nil {
		number := syscall.EINVAL
		if errno, ok := err.(syscall.Errno); ok {
			number = errno
		}
		s.say(Failed, strconv.Itoa(int(number)))
		return true
	}
	r := &running{family: family{leader: pid}, grace: req.Grace}
	exit, gone := s.follow(r)
	s.say(Exited, exit.Fields()...)
	return !gone && !exit.Left
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
}

// follow waits for a command's end, or brings it about where the provider asks for
// it or is gone.
func (s *supervisor) follow(r *running) (exit Exit, gone bool) {
	frames := s.frames
	var kill, again <-chan time.Time
	var stuck time.Time
	ending := false
	// A command that is soon over is told of once: who waits is woken once.
	started := time.After(tellAfter)
	for {
		r.reap()
		switch {
		case ending && r.extinct():
			return r.exit(false), gone
		case !ending && r.exited:
			return r.exit(!r.childless), gone
		case !stuck.IsZero() && time.Now().After(stuck):
			out := r.exit(true)
			out.Stuck = len(r.members())
			return out, gone
		}
		select {
		case <-s.died:
		case <-started:
			s.say(Started, strconv.Itoa(r.leader))
		case f, open := <-frames:
			if !open {
				gone, frames = true, nil
			}
			grace, end := r.grace, !open
			if f.kind == End && len(f.fields) == 1 {
				grace, _ = milliseconds(f.fields[0])
				end = true
			}
			switch {
			case end && !ending:
				ending = true
				r.signal(syscall.SIGTERM)
				r.signal(syscall.SIGCONT) // what is stopped cannot end
				kill = time.After(grace)
				again = time.After(killEvery) // not all ends are told: see extinct
			case end && open && kill != nil:
				kill = time.After(grace) // the provider has less time than it thought
			}
		case <-kill:
			stuck, kill = time.Now().Add(stuckAfter), nil
		case <-again:
			if !stuck.IsZero() {
				r.signal(syscall.SIGKILL)
			}
			again = time.After(killEvery)
		}
	}
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

// receiver reads from a socket, and keeps the files that come with the bytes.
type receiver struct {
	conn  *net.UnixConn
	files []int
}

func (r *receiver) Read(b []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(3*4))
	n, oobn, _, _, err := r.conn.ReadMsgUnix(b, oob)
	if n == 0 && err == nil {
		err = os.ErrClosed
	}
	if oobn > 0 {
		r.keep(oob[:oobn])
	}
	return n, err
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
