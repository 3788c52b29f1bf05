package sandbox

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// CurrentKernel returns what this kernel can confine. The result is cached.
func CurrentKernel() Kernel { return currentKernel() }

var currentKernel = sync.OnceValue(func() Kernel {
	k := Kernel{Name: "Linux"}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		k.Name = "Linux " + unix.ByteSliceToString(name.Release[:])
	}
	k.NoFilterReason = checkSeccomp()
	k.Filter = k.NoFilterReason == ""
	abi, err := queryLandlock(unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != nil {
		k.Reason = landlockReason(err)
		return k
	}
	k.ABI = abi
	// Landlock erratum 2: signals between threads of one process are refused, too. Without
	// the fix, the scopes of ABI 6 cannot be used.
	const signalsMended = 1 << 1
	if errata, err := queryLandlock(unix.LANDLOCK_CREATE_RULESET_ERRATA); abi >= 6 && (err != nil || errata&signalsMended == 0) {
		k.ABI, k.Reason = 5, "this release confines signals incorrectly (Landlock erratum 2); install an update"
	}
	return k
})

// queryLandlock asks landlock_create_ruleset for information about Landlock.
func queryLandlock(what uintptr) (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, what)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

func landlockReason(err error) string {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return "its Landlock is disabled; add landlock to the list lsm= on its command line"
	case errors.Is(err, unix.ENOSYS):
		return "it has no Landlock, which requires Linux 5.13"
	case errors.Is(err, unix.EPERM):
		return "the container may not use Landlock; its seccomp profile must allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self"
	default:
		return fmt.Sprintf("querying Landlock: %v", err)
	}
}
