//go:build unix

package expr

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process, which other processes do not prolong.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
