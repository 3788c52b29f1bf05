package journal

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// bootID identifies the running kernel.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

func machineID() string {
	host, _ := os.Hostname()
	return host
}

// booted returns the time when the machine was started.
func booted() time.Time {
	at, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return time.Time{}
	}
	return time.Unix(at.Unix())
}
