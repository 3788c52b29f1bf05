package build

import (
	"os"
	"os/exec"
	"syscall"
)

// detach starts the child in a separate process group. The kernel kills the child when
// the thread that starts it ends, so the caller locks that thread.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killedForCPU reports whether the kernel killed the child because of its processor time.
// If the soft and the hard limit are equal, the signal is SIGKILL.
func killedForCPU(state *os.ProcessState, l Limits) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	if status.Signal() == syscall.SIGXCPU {
		return true
	}
	// The reported processor time is less exact than the one that the limit counts,
	// especially on a shared machine.
	return status.Signal() == syscall.SIGKILL && state.UserTime()+state.SystemTime() >= l.CPU/2
}

// killed reports whether SIGKILL ended the child. This process did not send it; on Linux,
// the kernel does if it runs out of memory.
func killed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
