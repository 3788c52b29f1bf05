package sandbox

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// Here is what this kernel can confine. It is asked once.
func Here() Kernel { return here() }

var here = sync.OnceValue(func() Kernel {
	k := Kernel{Name: "Linux"}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		k.Name = "Linux " + unix.ByteSliceToString(name.Release[:])
	}
	k.NoFilter = askForFilter()
	k.Filter = k.NoFilter == ""
	abi, err := ask(unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != nil {
		k.Why = why(err)
		return k
	}
	k.ABI = abi
	// Erratum 2 of Landlock: signals between threads of one process are refused,
	// too. Where it is not mended, the scopes of ABI 6 cannot be used.
	const signalsMended = 1 << 1
	if errata, err := ask(unix.LANDLOCK_CREATE_RULESET_ERRATA); abi >= 6 && (err != nil || errata&signalsMended == 0) {
		k.ABI, k.Why = 5, "this release confines signals wrongly (Landlock erratum 2); an update of it mends that"
	}
	return k
})

// ask asks landlock_create_ruleset about itself.
func ask(what uintptr) (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, what)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

func why(err error) string {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return "its Landlock is switched off; add landlock to the list lsm= on its command line"
	case errors.Is(err, unix.ENOSYS):
		return "it has no Landlock, which is in Linux since 5.13"
	case errors.Is(err, unix.EPERM):
		return "the container may not use Landlock; its seccomp profile is to allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self"
	default:
		return fmt.Sprintf("asking for Landlock: %v", err)
	}
}
