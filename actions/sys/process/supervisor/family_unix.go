//go:build unix && !linux

package supervisor

import (
	"os"
	"os/signal"
	"syscall"
)

// FirstArgument is the argument with which a provider starts this binary.
const FirstArgument = Argument

// reap does nothing: only Linux lets a process adopt orphans.
func reap() {}

// Abandon ends a supervisor.
func Abandon(supervisor *os.Process) { _ = supervisor.Kill() }

// adoptOrphans does nothing: only Linux supports it.
func adoptOrphans() {}

// closeInheritedOnExec prevents commands from inheriting files that this process inherited by
// mistake.
func closeInheritedOnExec() {
	const most = 256
	for fd := Socket + 1; fd < most; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// newGroupAttr gives a command its own process group.
func newGroupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// watchExit returns a file that becomes readable when a child has ended; forget closes it.
func watchExit(int) (fd int, forget func()) {
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		return -1, func() {}
	}
	for _, fd := range pipe {
		syscall.CloseOnExec(fd)
	}
	died, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(died, syscall.SIGCHLD)
	go func() {
		defer close(done)
		for range died {
			_, _ = syscall.Write(pipe[1], []byte{0})
		}
	}()
	return pipe[0], func() {
		signal.Stop(died)
		close(died)
		<-done
		_ = syscall.Close(pipe[0])
		_ = syscall.Close(pipe[1])
	}
}

// outliveThread does nothing: on this system no command dies with a thread.
func outliveThread(*syscall.SysProcAttr) {}

// commandFamily are the processes in the group of the command.
type commandFamily struct{ leader int }

// allEnded reports whether the group is empty.
func (r *runningCommand) allEnded() bool {
	return r.exited && syscall.Kill(-r.leader, 0) == syscall.ESRCH
}

// signal sends a signal to the group.
func (r *runningCommand) signal(sig syscall.Signal) { _ = syscall.Kill(-r.leader, sig) }

// members returns the leader of the group: the others cannot be listed.
func (r *runningCommand) members() []int { return []int{r.leader} }

// EndSession kills the processes in the command's group that remain after its supervisor was
// killed.
func EndSession(_, leader int) {
	if leader > 0 {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
	}
}
