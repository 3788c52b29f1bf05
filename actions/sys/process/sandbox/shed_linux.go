package sandbox

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// keepable are the capabilities that a command of root's can keep: those about files and
// users, which su, chown and useradd need, and those of ports where it may listen. The
// others reach past files (modules, mounts, raw devices, tracing, the clock), where
// Landlock has no say, or leave privileges behind for whoever runs a program (SETFCAP).
func keepable() map[string]uintptr {
	return map[string]uintptr{
		"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER, "CAP_FSETID": unix.CAP_FSETID,
		"CAP_KILL": unix.CAP_KILL, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE, "CAP_SETGID": unix.CAP_SETGID, "CAP_SETUID": unix.CAP_SETUID,
	}
}

// kept returns the capabilities that a command under the rules keeps.
func (r Rules) kept() map[uintptr]bool {
	kept := map[uintptr]bool{}
	for name, capability := range keepable() {
		listens := r.AnyPort || capability != unix.CAP_NET_BIND_SERVICE
		kept[capability] = listens && (r.Capabilities == nil || slices.Contains(r.Capabilities, name))
	}
	return kept
}

// shed takes the capabilities that are not kept from all that the calling thread
// starts (capabilities(7): what execve gives root is bounded, what it gives
// others is inherited).
func (r Rules) shed() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("reading capabilities: %w", err)
	}
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return fmt.Errorf("giving up what capabilities are inherited: %w", err)
	}
	kept := r.kept()
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept[c] {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		switch {
		case errors.Is(err, unix.EPERM) && unix.Geteuid() != 0:
			return nil // a usual user, to whom execve gives none
		case errors.Is(err, unix.EPERM) && !bounded(c):
			continue // nobody here can have it
		case errors.Is(err, unix.EPERM):
			return fmt.Errorf(`root cannot give up capability %d without the capability SETPCAP, which this container lacks. Add it, or set sandbox: "off"`, c)
		case errors.Is(err, unix.EINVAL):
			return nil // the last that the kernel knows was before
		case err != nil:
			return fmt.Errorf("giving up capability %d: %w", c, err)
		}
	}
	return nil
}

// bounded reports whether execve may give root the capability.
func bounded(c uintptr) bool {
	has, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, c, 0)
	return errno != 0 || has != 0
}
