package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sharedMemory is the folder in memory that Linux offers.
const sharedMemory = "/dev/shm"

// memoryNeeded is how much must be free there, several times what the tests of a run keep at once, in bytes.
const memoryNeeded = 4 << 30

// inMemory makes a folder in memory. The error says why there is none: the machine has no such folder, it is small, as
// in a container, or programs in it cannot be run.
func inMemory() (dir string, err error) {
	var at unix.Statfs_t
	if err := unix.Statfs(sharedMemory, &at); err != nil {
		return "", fmt.Errorf("%s: %w", sharedMemory, err)
	}
	var memory unix.Sysinfo_t
	if err := unix.Sysinfo(&memory); err != nil {
		return "", fmt.Errorf("the memory of this machine: %w", err)
	}
	total := uint64(memory.Totalram) * uint64(memory.Unit)
	switch free := at.Bavail * uint64(at.Bsize); {
	case at.Type != unix.TMPFS_MAGIC:
		return "", fmt.Errorf("%s is not in memory", sharedMemory)
	case at.Flags&unix.ST_NOEXEC != 0:
		return "", fmt.Errorf("programs in %s cannot be run", sharedMemory)
	case free < memoryNeeded || total < 2*memoryNeeded:
		return "", fmt.Errorf("%s has %d MB free, and the machine %d MB of memory", sharedMemory, free>>20, total>>20)
	}
	if dir, err = os.MkdirTemp(sharedMemory, "declprov-tests-"); err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o777|os.ModeSticky) // as /tmp: some tests are other users
}
