//go:build unix && !linux

package supervisor

import (
	"os"
	"os/signal"
	"syscall"
)

// adopt does nothing: only Linux has orphans adopted by other than init.
func adopt() {}

// withhold keeps from commands the files that this process has inherited by
// somebody's oversight.
func withhold() {
	const most = 256
	for fd := Socket + 1; fd < most; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// ownGroup gives a command a process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// watch is a file that can be read once a child has ended; forget closes it.
func watch(int) (fd int, forget func()) {
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

// outliveThread has nothing to do: here no command dies with a thread.
func outliveThread(*syscall.SysProcAttr) {}

// family is what a command has started, as far as it has stayed in its group.
type family struct{ leader int }

// extinct reports whether nothing is left in the group.
func (r *running) extinct() bool { return r.exited && syscall.Kill(-r.leader, 0) == syscall.ESRCH }

// signal sends the group a signal.
func (r *running) signal(sig syscall.Signal) { _ = syscall.Kill(-r.leader, sig) }

// members is the group's leader: the others cannot be told.
func (r *running) members() []int { return []int{r.leader} }

// EndSession kills what a supervisor has left that was ended itself, as far as it
// has stayed in the command's group.
func EndSession(_, leader int) {
	if leader > 0 {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
	}
}
