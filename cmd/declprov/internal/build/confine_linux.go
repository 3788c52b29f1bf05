package build

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confine puts the limits on this process. Go's runtime reserves more than a
// gibibyte of address space before main, so the limit counts from what there is
// now; and it gives memory back before it comes near it.
func confine(l Limits) error {
	debug.SetMaxStack(stackLimit)
	debug.SetMemoryLimit(l.Memory / 8 * 7)
	mapped, err := addressSpace()
	if err != nil {
		return err
	}
	seconds := uint64(max(1, l.CPU/time.Second))
	limits := []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_AS, mapped + uint64(l.Memory)},
		{unix.RLIMIT_CPU, seconds},
		{unix.RLIMIT_CORE, 0},
	}
	for _, limit := range limits {
		both := unix.Rlimit{Cur: limit.value, Max: limit.value}
		if err := unix.Setrlimit(limit.resource, &both); err != nil {
			return fmt.Errorf("setting limit %d to %d: %w", limit.resource, limit.value, err)
		}
	}
	return nil
}

// addressSpace is how much of it this process has mapped, in bytes: the first
// number of /proc/self/statm (proc_pid_statm(5)), which is in pages.
func addressSpace() (uint64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("how much memory is mapped is not known: %w", err)
	}
	first, _, _ := bytes.Cut(statm, []byte{' '})
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("how much memory is mapped is not known: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}

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
	return status.Signal() == syscall.SIGKILL && state.UserTime()+state.SystemTime() >= l.CPU*9/10
}

// killed reports whether a signal that nobody here sent ended the child; on
// Linux that is the kernel, short of memory.
func killed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
