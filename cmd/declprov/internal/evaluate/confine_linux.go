package evaluate

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

// confine sets the limits of this process. Go's runtime reserves more than a gibibyte of
// address space before main, so the limit is added to the present size. The soft limit
// is lower, so that the runtime returns memory before it reaches the hard limit.
func confine(l build.Limits) error {
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
		if err := lowerLimit(limit.resource, limit.value); err != nil {
			return fmt.Errorf("setting limit %d to %d: %w", limit.resource, limit.value, err)
		}
	}
	return nil
}

// lowerLimit sets the soft and the hard limit of a resource. It keeps a lower limit that
// is already set, because only root may raise it.
func lowerLimit(resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

// addressSpace returns the size of the address space of this process in bytes: the first
// number of /proc/self/statm (proc_pid_statm(5)), which is in pages.
func addressSpace() (uint64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("cannot determine how much address space this process uses: %w", err)
	}
	first, _, _ := bytes.Cut(statm, []byte{' '})
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("cannot determine how much address space this process uses: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}
