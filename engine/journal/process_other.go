//go:build !linux

package journal

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

func namespace() string { return "" }

// startOf returns "": this system does not tell apart processes that had the same
// number one after the other.
func startOf(int) string { return "" }

// running reports whether a process has this number.
func running(pid int, _ string) bool {
	found, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = found.Release() }()
	if runtime.GOOS == "windows" {
		return true // only processes that run are found
	}
	// Elsewhere any number is found; a signal without effect tells.
	err = found.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
