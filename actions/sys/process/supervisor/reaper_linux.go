package supervisor

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// FirstArgument is the argument with which a provider starts this binary: as a reaper.
const FirstArgument = reaperArgument

// endSignal makes a reaper end its supervisor and all processes below it.
const endSignal = syscall.SIGUSR1

// reap starts a supervisor and remains its parent. If the supervisor dies without having ended its
// command, the kernel makes this process the parent of all that is left, also of processes in a
// session of their own, and this process kills them. So none of them survives if the provider
// and the supervisor are killed at the same time.
func reap() {
	if !hasSocket() {
		return
	}
	syscall.CloseOnExec(Socket)
	closeInheritedOnExec()
	adoptOrphans()
	catchSignals()
	end := make(chan os.Signal, 1)
	signal.Notify(end, endSignal)
	supervisor, err := os.StartProcess("/proc/self/exe", []string{os.Args[0], Argument}, &os.ProcAttr{
		Env: Environment(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, os.NewFile(Socket, "provider")},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	_ = syscall.Close(Socket) // the end of the supervisor's copy tells the provider that it has ended
	go func() {
		<-end
		_ = supervisor.Kill() // it may have ended
	}()
	if state, err := supervisor.Wait(); err != nil || !state.Success() {
		killDescendants()
	}
}

// killDescendants kills the descendants of this process until none is left.
func killDescendants() {
	for end := time.Now().Add(stuckAfter); time.Now().Before(end); time.Sleep(killEvery) {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.ECHILD {
				return
			}
			if err == nil && pid == 0 {
				break
			}
		}
		for _, m := range descendants() {
			_ = syscall.Kill(m.pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// Abandon makes a reaper kill its supervisor and then all processes of the supervisor's command.
// The reaper ends afterwards. Abandon does not wait for that.
func Abandon(reaper *os.Process) { _ = reaper.Signal(endSignal) }

// adoptOrphans makes this process the parent of orphaned descendants. If the kernel does not
// support that, only process groups are ended.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }
