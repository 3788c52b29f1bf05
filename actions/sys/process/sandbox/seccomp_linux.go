//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter of system calls (seccomp(2)) stands beside Landlock, which decides by
// files and ports and has no rule for the calls below.
//
// It is a list of what is refused, not of what is allowed: commands are programs
// that nobody here knows, and a list of what they need would break the next one.
// What a call says by its numbers the filter sees; what it says by a pointer (a
// path, an address, a struct) it cannot see, so calls that say by a pointer what
// others say by a number are answered as by a kernel that lacks them (ENOSYS),
// and programs use the others.

// refusal is a set of system calls that the filter refuses.
type refusal struct {
	calls []uintptr
	// when are conditions on the arguments that must all hold; none refuses
	// always.
	when []condition
	// errno is what the caller gets: what programs take for "not here", so that
	// they go on without.
	errno unix.Errno
}

// condition compares the lower 32 bits of an argument, of which mask keeps some,
// with a value.
type condition struct {
	arg   int
	mask  uint32 // 0 keeps all
	value uint32
	not   bool
}

func is(arg int, value uint32) condition  { return condition{arg: arg, value: value} }
func not(arg int, value uint32) condition { return condition{arg: arg, value: value, not: true} }

// some holds where an argument has any of the bits.
func some(arg int, bits uint32) condition { return condition{arg: arg, mask: bits, not: true} }

const (
	// setIDs are the bits of a mode that give a program its owner's rights.
	setIDs = unix.S_ISUID | unix.S_ISGID
	// namespaces are the flags of clone(2) and unshare(2) that make a namespace.
	// CLONE_NEWTIME is not among those of clone, where it is part of the signal.
	namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	socketType = 0xf // the bits of socket(2)'s type that are not flags
)

// refusals are those of every architecture, for commands with a granted port or without.
func refusals(port bool) []refusal {
	all := slices.Concat(processRefusals(), kernelRefusals(), fileRefusals(), modeRefusals(), socketRefusals(), ownRefusals())
	if !port {
		// Landlock knows connect and bind of TCP. Data in the first packet, a socket
		// that listens without an address, UDP before ABI 10 pass it by.
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			all = append(all, refusal{[]uintptr{unix.SYS_SOCKET}, []condition{is(0, family)}, unix.EACCES})
		}
	}
	return all
}

// processRefusals keep commands from other processes of the same user: their limits,
// priorities and processors. 0 is the caller; its own number is refused, too, for
// the filter cannot know it.
func processRefusals() []refusal {
	other := []condition{not(0, 0)}
	return []refusal{
		{[]uintptr{
			unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
			unix.SYS_SCHED_SETATTR, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
		}, other, unix.EPERM},
		// Both name one process, a group, or all of a user.
		{[]uintptr{unix.SYS_SETPRIORITY}, []condition{not(0, unix.PRIO_PROCESS)}, unix.EPERM},
		{[]uintptr{unix.SYS_SETPRIORITY}, []condition{not(1, 0)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOPRIO_SET}, []condition{not(0, 1)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOPRIO_SET}, []condition{not(1, 0)}, unix.EPERM},
		{[]uintptr{
			unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
			unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		}, nil, unix.EPERM},
		// What processes share by number instead of by file. Programs that can do
		// without take it for a kernel without.
		{[]uintptr{
			unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT, unix.SYS_SEMGET, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP, unix.SYS_SEMOP,
			unix.SYS_MSGGET, unix.SYS_MSGCTL, unix.SYS_MSGRCV, unix.SYS_MSGSND,
			unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
			unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		}, nil, unix.ENOSYS},
		// Input that a terminal takes for its user's, and what is on a console.
		{[]uintptr{unix.SYS_IOCTL}, []condition{is(1, unix.TIOCSTI)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{is(1, unix.TIOCLINUX)}, unix.EPERM},
	}
}

// kernelRefusals keep commands from the kernel itself: what loads code into it,
// changes the machine, or has often been a way to its privileges. Most need
// capabilities that commands do not have.
func kernelRefusals() []refusal {
	return []refusal{
		{[]uintptr{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}, nil, unix.ENOSYS},
		{[]uintptr{unix.SYS_CLONE}, []condition{some(0, namespaces)}, unix.EPERM},
		{[]uintptr{unix.SYS_UNSHARE}, []condition{some(0, namespaces|unix.CLONE_NEWTIME)}, unix.EPERM},
		{[]uintptr{unix.SYS_CLONE3, unix.SYS_OPENAT2}, nil, unix.ENOSYS},
		{[]uintptr{
			unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
			unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
			unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
			unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
			unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
			unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
		}, nil, unix.EPERM},
	}
}

// fileRefusals are about files, where Landlock has a rule for none of it.
func fileRefusals() []refusal {
	return []refusal{
		// Flags such as "append only" are set through a handle for reading, and so
		// where nothing may be changed.
		{[]uintptr{unix.SYS_IOCTL}, []condition{is(1, unix.FS_IOC_SETFLAGS)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{is(1, setFlags)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{is(1, unix.FS_IOC_ENABLE_VERITY)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{is(1, unix.FS_IOC_SET_ENCRYPTION_POLICY)}, unix.EPERM},
		{[]uintptr{unix.SYS_FILE_SETATTR}, nil, unix.ENOSYS},
		// A device stays where the file was. As by file systems that cannot.
		{[]uintptr{unix.SYS_RENAMEAT2}, []condition{some(4, unix.RENAME_WHITEOUT)}, unix.EINVAL},
		// What /proc tells of mounts, where it is not granted, and numbers by which
		// files are opened past all folders. As by kernels and file systems without.
		{[]uintptr{unix.SYS_LISTMOUNT, unix.SYS_STATMOUNT}, nil, unix.ENOSYS},
		{[]uintptr{unix.SYS_NAME_TO_HANDLE_AT}, nil, unix.EOPNOTSUPP},
	}
}

// setFlags is FS_IOC_FSSETXATTR of linux/fs.h.
const setFlags = 0x401c5820

// modeRefusals keep commands from leaving a program behind that runs with their
// user's rights for whoever starts it.
func modeRefusals() []refusal {
	return []refusal{
		{[]uintptr{unix.SYS_FCHMOD}, []condition{some(1, setIDs)}, unix.EPERM},
		{[]uintptr{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_MKNODAT}, []condition{some(2, setIDs)}, unix.EPERM},
		// Without O_CREAT or O_TMPFILE the mode is ignored, so it may be any number.
		{[]uintptr{unix.SYS_OPENAT}, []condition{some(2, unix.O_CREAT|tmpfile), some(3, setIDs)}, unix.EPERM},
	}
}

// tmpfile is what O_TMPFILE has beside O_DIRECTORY.
const tmpfile = unix.O_TMPFILE &^ unix.O_DIRECTORY

// socketRefusals leave files, TCP, UDP, and the kernel's tables of addresses
// (which the lookup of names reads): all other protocols are none that Landlock
// has rules for.
func socketRefusals() []refusal {
	socket := []uintptr{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR}
	all := []refusal{
		{socket, []condition{not(0, unix.AF_UNIX), not(0, unix.AF_INET), not(0, unix.AF_INET6), not(0, unix.AF_NETLINK)}, unix.EAFNOSUPPORT},
		{socket, []condition{is(0, unix.AF_NETLINK), not(2, unix.NETLINK_ROUTE)}, unix.EPROTONOSUPPORT},
	}
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		kind := condition{arg: 1, mask: socketType, not: true}
		stream, datagram := kind, kind
		stream.value, datagram.value = unix.SOCK_STREAM, unix.SOCK_DGRAM
		all = append(all,
			refusal{socket, []condition{is(0, family), stream, datagram}, unix.ESOCKTNOSUPPORT},
			refusal{socket, []condition{is(0, family), not(2, 0), not(2, unix.IPPROTO_TCP), not(2, unix.IPPROTO_UDP)}, unix.EPROTONOSUPPORT},
		)
	}
	// Data in the packet that opens a connection: a connection without connect.
	fast := uint32(unix.MSG_FASTOPEN)
	return append(all,
		refusal{[]uintptr{unix.SYS_SENDTO, unix.SYS_SENDMMSG}, []condition{some(3, fast)}, unix.EOPNOTSUPP},
		refusal{[]uintptr{unix.SYS_SENDMSG}, []condition{some(2, fast)}, unix.EOPNOTSUPP},
	)
}

// filters are the programs for commands without a granted port and with one, made
// once.
var filters = map[bool]func() []unix.SockFilter{
	false: sync.OnceValue(func() []unix.SockFilter { return filter(refusals(false)) }),
	true:  sync.OnceValue(func() []unix.SockFilter { return filter(refusals(true)) }),
}

// filterCalls puts the calling thread under the filter, with all that it starts.
// The thread must have no_new_privs.
func (r Rules) filterCalls() error {
	program := filters[r.AnyPort || len(r.Ports) > 0]()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// askForFilter returns why the kernel has no filter of system calls that is of use,
// or "".
func askForFilter() string {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	switch {
	case errno == 0:
		return ""
	case errors.Is(errno, unix.EPERM), errors.Is(errno, unix.EACCES):
		return "the container may not use seccomp; its seccomp profile must allow it"
	default:
		return fmt.Sprintf("it cannot filter system calls (seccomp: %v)", errno)
	}
}
