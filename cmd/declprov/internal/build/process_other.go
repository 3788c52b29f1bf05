//go:build !linux

package build

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func killedForCPU(*os.ProcessState, Limits) bool { return false }

func killed(*os.ProcessState) bool { return false }
