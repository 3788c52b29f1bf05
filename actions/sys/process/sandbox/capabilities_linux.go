package sandbox

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// keepableCapabilities returns the capabilities that a command of root may keep, by their names:
// those for files, users and signals, which su, chown and useradd require, and the one for ports
// below 1024. A command never keeps others. Most of them permit what Landlock has no rules for
// (modules, mounts, raw devices, tracing, the clock). SETFCAP could give a file capabilities,
// which everybody would have who runs that file later.
func keepableCapabilities() map[string]uintptr {
	return map[string]uintptr{
		"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER, "CAP_FSETID": unix.CAP_FSETID,
		"CAP_KILL": unix.CAP_KILL, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE, "CAP_SETGID": unix.CAP_SETGID, "CAP_SETUID": unix.CAP_SETUID,
	}
}

// keptCapabilities reports for each of the keepable capabilities whether a command under the
// rules keeps it. NET_BIND_SERVICE requires that the command may listen.
func (r Rules) keptCapabilities() map[uintptr]bool {
	kept := map[uintptr]bool{}
	for name, capability := range keepableCapabilities() {
		listens := r.AnyPort || capability != unix.CAP_NET_BIND_SERVICE
		kept[capability] = listens && (r.Capabilities == nil || slices.Contains(r.Capabilities, name))
	}
	return kept
}

// dropCapabilities makes sure that the programs that the calling thread starts have no
// capabilities except keptCapabilities. It removes the others from the bounding set, which limits
// what execve gives to root, and clears the inheritable set, which limits what execve gives to
// other users (capabilities(7)).
func (r Rules) dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("reading capabilities: %w", err)
	}
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return fmt.Errorf("clearing the inheritable capabilities: %w", err)
	}
	kept := r.keptCapabilities()
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept[c] {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		switch {
		case errors.Is(err, unix.EPERM) && unix.Geteuid() != 0:
			return nil // not root: execve gives it no capabilities, since its inheritable set is empty
		case errors.Is(err, unix.EPERM) && !inBoundingSet(c):
			continue // there is nothing to drop
		case errors.Is(err, unix.EPERM):
			return fmt.Errorf(`root cannot drop capability %d without the capability SETPCAP, which this container lacks. Add it, or set sandbox: "off"`, c)
		case errors.Is(err, unix.EINVAL):
			return nil // beyond the last capability of this kernel
		case err != nil:
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	return nil
}

// inBoundingSet reports whether execve can give root the capability.
func inBoundingSet(c uintptr) bool {
	has, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, c, 0)
	return errno != 0 || has != 0
}
