//go:build unix

package serving

import (
	"os"
	"syscall"
)

// replaceProcess runs another binary in this process, with the same arguments.
func replaceProcess(path string) error { return syscall.Exec(path, os.Args, os.Environ()) }
