//go:build !linux

package build

import (
	"os"
	"os/exec"
	"runtime/debug"
)

// confine asks the runtime to be thrifty. Only the wall time, which the parent
// enforces, is a hard limit on this system.
func confine(l Limits) error {
	debug.SetMaxStack(stackLimit)
	debug.SetMemoryLimit(l.Memory)
	return nil
}

func detach(*exec.Cmd) {}

func killedForCPU(*os.ProcessState, Limits) bool { return false }

func killed(*os.ProcessState) bool { return false }
