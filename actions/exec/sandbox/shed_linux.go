package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// kept are the capabilities that a command of root's keeps, and its children
// can have: those about files and users, which su, chown and useradd need. The
// others reach past files (modules, mounts, raw devices, tracing, the clock),
// where Landlock has no say, or leave privileges behind for whoever runs a
// program (SETFCAP).
func kept(capability uintptr) bool {
	switch capability {
	case unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL,
		unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE:
		return true
	}
	return false
}

// shed takes the capabilities that are not kept from all that the calling thread
// starts (capabilities(7): what execve gives root is bounded, what it gives
// others is inherited).
func shed() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("reading capabilities: %w", err)
	}
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return fmt.Errorf("giving up what capabilities are inherited: %w", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept(c) {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		switch {
		case errors.Is(err, unix.EPERM):
			return nil // a usual user, to whom execve gives none
		case errors.Is(err, unix.EINVAL):
			return nil // the last that the kernel knows was before
		case err != nil:
			return fmt.Errorf("giving up capability %d: %w", c, err)
		}
	}
	return nil
}
