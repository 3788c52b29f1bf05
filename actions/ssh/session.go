package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/declprov/declprov/actions/sys/process"
)

// session is a session whose shell waits for a script, and then runs it.
type session struct {
	channel        ssh.Channel
	nonce          string
	stdout, stderr *markedStream
	// leader is the process of the shell. It is set when announced is closed.
	leader    leader
	announced chan struct{}
	// reported is closed when the machine has reported how the session's process ended, or
	// when it has closed the session.
	reported chan struct{}
	// read is closed when the output was read to its end. received counts its bytes.
	read     chan struct{}
	received atomic.Int64

	mu     sync.Mutex
	status *process.Exit // nil if the machine has reported nothing
	// failed and exited are the codes of these marks, or -1. left is closed when all output
	// streams have the mark "exit".
	failed, exited int
	exits          int
	left           chan struct{}
}

// leader is the process of a session's shell, which its command replaces.
type leader struct {
	id int
	// leads says that it is the leader of a process group.
	leads bool
	// boot and start identify the process on Linux, where another process may get its id later:
	// the id of the system's start, and the time of its own. On other systems, start is "".
	boot, start string
}

// target returns the argument of kill(1) for the process and its group.
func (l leader) target() string {
	if l.leads {
		return "-" + strconv.Itoa(l.id)
	}
	return strconv.Itoa(l.id)
}

// parseLeader parses the words of the mark "start".
func parseLeader(words []string) leader {
	const startTime = 22 - 2 // proc_pid_stat(5), counted from the name of the program, which may contain spaces
	var l leader
	if len(words) < 4 {
		return l
	}
	l.id, _ = strconv.Atoi(words[1])
	l.leads, l.boot = words[2] == "group", words[3]
	stat := strings.Join(words[4:], " ")
	if fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]); len(fields) >= startTime {
		l.start = fields[startTime-1]
	}
	return l
}

// announceWait is how long a machine may take to start a shell.
const announceWait = time.Minute

// ErrNoSession says that the machine did not open a session, or closed it, before a command was sent.
var ErrNoSession = errors.New("the machine opened no session")

// ErrShell says that the shell of the machine could not run a command: a folder or a program is missing, for example. The
// shell has printed why.
var ErrShell = errors.New("the shell there could not run it")

// OtherProgramError says that a machine ran something else than the script.
type OtherProgramError struct {
	// Said is the end of what it printed.
	Said string
	how  string
}

func (e *OtherProgramError) Error() string {
	return "the machine did not run what declprov asked for, and nothing of the command was sent: a forced command (authorized_keys, ForceCommand) or the login shell ran something else, which " + e.how
}

// start opens a session, and waits until its shell has announced itself. If it fails, nothing of a command was sent.
func (c *Client) start(ctx context.Context, stdout, stderr io.Writer, open func(context.Context) (*opened, error)) (*session, error) {
	o, err := open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoSession, err)
	}
	s := &session{
		channel: o.channel, nonce: newNonce(), announced: make(chan struct{}), reported: make(chan struct{}), read: make(chan struct{}),
		failed: -1, exited: -1, left: make(chan struct{}),
	}
	s.stdout, s.stderr = newMarkedStream(s.nonce, stdout, s.foundOnStdout), newMarkedStream(s.nonce, stderr, s.foundMark)
	go s.watch(o.requests)
	s.readOutput()
	if err := s.exec(ctx); err != nil {
		go s.channel.Close()
		return nil, err
	}
	return s, nil
}

// exec starts the shell, and waits for its announcement.
func (s *session) exec(ctx context.Context) error {
	accepted, err := await(ctx, 0, func() (bool, error) {
		return s.channel.SendRequest("exec", true, ssh.Marshal(struct{ Line string }{bootstrap(s.nonce)}))
	}, func(bool) {})
	switch {
	case err != nil:
		return fmt.Errorf("%w: no shell was started: %w", ErrNoSession, err)
	case !accepted:
		return errors.New("the machine does not allow commands")
	}
	timer := time.NewTimer(announceWait)
	defer timer.Stop()
	select {
	case <-s.announced:
		return nil
	case <-s.read:
	case <-timer.C:
		return &OtherProgramError{s.said(), fmt.Sprintf("did not end within %s", announceWait)}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select { // the announcement may be the last output
	case <-s.announced:
		return nil
	default:
	}
	select {
	case <-s.reported:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	switch status := s.reportedStatus(); {
	case status == nil:
		return fmt.Errorf("%w: it ended before the command was sent", ErrNoSession)
	case status.Signal != "":
		return &OtherProgramError{s.said(), "was ended by " + status.Signal}
	default:
		return &OtherProgramError{s.said(), fmt.Sprintf("ended with exit code %d", status.Code)}
	}
}

// said returns what was printed before the announcement.
func (s *session) said() string {
	return strings.TrimSpace(s.stdout.said() + "\n" + s.stderr.said())
}

// foundOnStdout handles a mark on the standard output. That of the standard error comes first, if the machine sends it at all.
func (s *session) foundOnStdout(words []string) {
	if words[0] == "start" {
		select {
		case <-s.announced:
		default:
			s.leader = parseLeader(words)
			close(s.announced)
		}
	}
	s.foundMark(words)
}

func (s *session) foundMark(words []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(words) < 2 {
		return
	}
	code, err := strconv.Atoi(words[1])
	if err != nil {
		return
	}
	switch words[0] {
	case "fail":
		s.failed = code
	case "exit":
		s.exited = code
		if s.exits++; s.exits == 2 {
			close(s.left)
		}
	}
}

// codes returns the codes of the marks "fail" and "exit", or -1.
func (s *session) codes() (failed, exited int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed, s.exited
}

// watch receives the machine's report of how the process ended.
func (s *session) watch(requests <-chan *ssh.Request) {
	for r := range requests {
		if status := parseStatus(r); status != nil && s.reportedStatus() == nil {
			s.mu.Lock()
			s.status = status
			s.mu.Unlock()
			close(s.reported)
		}
		if r.WantReply {
			_ = r.Reply(false, nil)
		}
	}
	if s.reportedStatus() == nil {
		close(s.reported)
	}
}

// parseStatus returns the exit that a request reports (RFC 4254, 6.10), or nil.
func parseStatus(r *ssh.Request) *process.Exit {
	var code struct{ Code uint32 }
	var signal struct {
		Name              string
		Core              bool
		Message, Language string
	}
	switch {
	case r.Type == "exit-status" && ssh.Unmarshal(r.Payload, &code) == nil:
		return &process.Exit{Code: int(code.Code)}
	case r.Type == "exit-signal" && ssh.Unmarshal(r.Payload, &signal) == nil:
		return &process.Exit{Code: -1, Signal: "SIG" + signal.Name}
	}
	return nil
}

func (s *session) reportedStatus() *process.Exit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// readOutput starts to read the output.
func (s *session) readOutput() {
	var all sync.WaitGroup
	for _, stream := range []struct {
		from io.Reader
		to   *markedStream
	}{{s.channel, s.stdout}, {s.channel.Stderr(), s.stderr}} {
		all.Go(func() {
			_, _ = io.Copy(stream.to, countingReader{stream.from, &s.received})
			stream.to.flush()
		})
	}
	go func() { all.Wait(); close(s.read) }()
}

// countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	count *atomic.Int64
}

func (r countingReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.count.Add(int64(n))
	return n, err
}

// send sends the script.
func (s *session) send(script string) error {
	_, err := io.WriteString(s.channel, strconv.Itoa(len(script))+"\n"+script)
	return err
}

// sendInput sends the standard input of the command, and closes it. The command need not read all of it, so only an error of
// the reader counts. The input then stays open: the command must not take a part for the whole.
func (s *session) sendInput(from io.Reader) error {
	if from != nil {
		reader := &failedReader{from: from}
		if _, _ = io.Copy(s.channel, reader); reader.err != nil {
			return fmt.Errorf("read its standard input: %w", reader.err)
		}
	}
	_ = s.channel.CloseWrite()
	return nil
}

// failedReader keeps the error of a reader.
type failedReader struct {
	from io.Reader
	err  error
}

func (r *failedReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

const (
	// drainPause is how long no output may arrive until it counts as complete, after
	// drainPauses such pauses. drainLimit is how long the output of processes that the command
	// left running is read.
	drainPause, drainPauses = 50 * time.Millisecond, 4
	drainLimit              = 5 * time.Second
)

// drain reads the rest of the output after the command has ended. Processes that it left running may hold the output open. The
// machine sends what the command wrote before it responds to a later request, and reads what is in a pipe at once, so the output is
// complete if nothing arrives between several responses. An error means that the connection broke.
func (c *Client) drain(s *session) error {
	quiet := 0
	for deadline := time.Now().Add(drainLimit); quiet < drainPauses && time.Now().Before(deadline); {
		before := s.received.Load()
		select {
		case <-s.read:
			return nil
		case <-s.left:
			return nil
		case <-time.After(drainPause):
		}
		if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err != nil {
			return err
		}
		if quiet++; s.received.Load() != before {
			quiet = 0
		}
	}
	return nil
}

// finish waits for the end of the command, and returns how it ended.
func (c *Client) finish(s *session) (process.Exit, error) {
	select {
	case <-s.reported:
	case <-s.left:
	}
	broke := c.drain(s)
	failed, exited := s.codes()
	status := s.reportedStatus()
	switch {
	case failed >= 0:
		return process.Exit{}, &process.StartError{Err: fmt.Errorf("%w (exit code %d)", ErrShell, failed)}
	case exited >= 0:
		return exitOfShell(exited), nil
	case broke != nil:
		return process.Exit{}, fmt.Errorf("%w: %w", ErrLost, broke)
	case status == nil:
		return process.Exit{}, fmt.Errorf("%w: the machine did not report how it ended", ErrLost)
	case !s.leader.leads:
		return process.Exit{}, fmt.Errorf("%w: the shell that ran it was ended", ErrLost)
	}
	return *status, nil
}

// exitOfShell returns the exit of a command that a shell waited for. The shell cannot tell a signal from an exit code.
func exitOfShell(code int) process.Exit {
	if name := signalNames[code-128]; name != "" {
		return process.Exit{Code: -1, Signal: name}
	}
	return process.Exit{Code: code}
}

// signalNames are the signals whose numbers are the same on all systems (POSIX, kill(1)).
var signalNames = map[int]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 14: "SIGALRM", 15: "SIGTERM"}
