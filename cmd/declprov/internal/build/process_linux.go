package build

import (
	"os"
	"os/exec"
	"syscall"
)

// detach gives the child a process group of its own, which dies with the
// thread that starts it: the caller keeps that thread.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killedForCPU reports whether the kernel ended the child for its processor
// time: with both limits equal, it does so by SIGKILL.
func killedForCPU(state *os.ProcessState, l Limits) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	if status.Signal() == syscall.SIGXCPU {
		return true
	}
	// What a process is told to have used is counted more coarsely than what its
	// limit counts, above all on a machine that others share.
	return status.Signal() == syscall.SIGKILL && state.UserTime()+state.SystemTime() >= l.CPU/2
}

// killed reports whether a signal that nobody here sent ended the child; on
// Linux that is the kernel, short of memory.
func killed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
