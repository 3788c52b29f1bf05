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
	// idleTime is how long a supervisor without a command is kept: starting one
	// costs ten times what a command does.
	idleTime = 20 * time.Second
	// readyTime is how long a supervisor may take to start, on a machine that has
	// much else to do.
	readyTime = 30 * time.Second
)

// Pool runs commands, and keeps supervisors for the next ones. Its zero value is
// ready for use; it is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	idle []*connection // the latest last
}

// Run runs the command and returns at its end: with *StartError where it never
// began, with another error where nobody knows how it ended.
func (p *Pool) Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, &StartError{Err: context.Cause(ctx)}
	}
	s, err := p.take(ctx)
	if err != nil {
		return Exit{}, notStarted("a command is run below a supervisor, and none can be started: %w", err)
	}
	exit, reusable, err := s.run(ctx, c)
	if reusable {
		p.keep(s)
	} else {
		s.close()
	}
	return exit, err
}

// take is an idle supervisor, or a new one.
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
		if s.expiry.Stop() && s.lives() {
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

// expire ends a supervisor that nobody needed.
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

// startSupervisor starts this binary once more.
func startSupervisor(ctx context.Context) (*connection, error) {
	if os.Getenv(supervisor.Marker) != "" {
		return nil, errors.New("this binary does not call supervisor.Main first, and so cannot be one")
	}
	self, err := executable()
	if err != nil {
		return nil, fmt.Errorf("this binary cannot be found, to be started once more: %w", err)
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, supervisor.Argument)
	cmd.Args[0] = "declprov" // whatever name this process goes by
	cmd.Env = []string{supervisor.Marker + "=1", "GOTRACEBACK=single"}
	cmd.ExtraFiles = []*os.File{theirs}
	// A session of its own: what ends this process's group does not end it, and
	// what runs below it has no terminal to ask people at.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	go func() { _ = cmd.Wait() }() // how it ends, the socket says
	s := &connection{conn: ours, process: cmd.Process, patience: patience}
	if err := s.ready(ctx); err != nil {
		s.close()
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("%s %s: %w", self, supervisor.Argument, err)
	}
	return s, nil
}

// executable is this binary: on Linux the one that runs, whatever lies by now
// where it was started from.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}
