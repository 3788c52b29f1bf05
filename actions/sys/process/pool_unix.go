//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
)

const (
	// idleTime is how long an idle supervisor is kept. Starting one costs ten times as much
	// as a command.
	idleTime = 20 * time.Second
	// readyTime is how long a supervisor may take to start on a busy machine.
	readyTime = 30 * time.Second
)

// Pool runs commands, and keeps supervisors for the next ones. Its zero value is
// ready for use; it is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	idle []*connection // the latest last
}

// Run runs a command to its end. It returns a *StartError if the command did not start, and
// another error if it is not known how it ended.
func (p *Pool) Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, &StartError{Err: context.Cause(ctx)}
	}
	s, err := p.take(ctx)
	if err != nil {
		return Exit{}, notStarted("cannot start a supervisor for the command: %w", err)
	}
	exit, reusable, err := s.run(ctx, c)
	if reusable {
		p.keep(s)
	} else {
		s.close()
	}
	return exit, err
}

// take returns an idle supervisor, or a new one.
func (p *Pool) take(ctx context.Context) (*connection, error) {
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return startSupervisor(ctx)
		}
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if s.expiry.Stop() && s.isAlive() {
			return s, nil
		}
		s.close()
	}
}

func (p *Pool) keep(s *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
	s.expiry = time.AfterFunc(idleTime, func() { p.expire(s) })
}

// expire ends an idle supervisor.
func (p *Pool) expire(s *connection) {
	p.mu.Lock()
	for i, other := range p.idle {
		if other == s {
			p.idle = append(p.idle[:i:i], p.idle[i+1:]...)
			break
		}
	}
	p.mu.Unlock()
	s.close()
}

// startSupervisor starts this binary as a supervisor.
func startSupervisor(ctx context.Context) (*connection, error) {
	if os.Getenv(supervisor.Marker) != "" {
		return nil, errors.New("this binary cannot be a supervisor, because its main does not call supervisor.Main first")
	}
	self, err := executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this binary to start it as a supervisor: %w", err)
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, supervisor.FirstArgument)
	cmd.Args[0] = "declprov" // independent of the name of this process
	cmd.Env = supervisor.Environment()
	cmd.ExtraFiles = []*os.File{theirs}
	// With its own session, a signal to this process's group does not end the supervisor,
	// and its commands have no terminal to prompt on.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	s := &connection{conn: ours, process: cmd.Process, ended: make(chan struct{}), patience: patience}
	go func() {
		_ = cmd.Wait() // the socket reports how the command ended
		close(s.ended)
	}()
	if err := s.waitReady(ctx); err != nil {
		s.close()
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("%s %s: %w", self, supervisor.FirstArgument, err)
	}
	return s, nil
}

// executable returns the path of this binary. On Linux it is the running binary, even if the
// file was replaced.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}
