//go:build !linux

package journal

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

func namespace() string { return "" }

// startOf returns "", because this system cannot distinguish processes that had the
// same number at different times.
func startOf(int) string { return "" }

// running reports whether a process with this number is running.
func running(pid int, _ string) bool {
	found, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = found.Release() }()
	if runtime.GOOS == "windows" {
		return true // FindProcess only finds running processes
	}
	// On other systems FindProcess always succeeds, and signal 0 reports whether the
	// process exists.
	err = found.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
