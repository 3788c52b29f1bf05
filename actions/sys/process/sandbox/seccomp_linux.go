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

// The filter of system calls (seccomp(2)) complements Landlock, which decides by files and
// ports, and has no rules for the calls below.
//
// The filter has a list of refused calls, not of allowed ones: commands are arbitrary
// programs, and a list of what they need would break some. The filter sees numbers in
// arguments, but not what a pointer refers to (a path, an address, a struct). So calls that
// pass by a pointer what other calls pass as a number fail with ENOSYS, as on a kernel
// without them, and programs use the other calls.

// refusal is a set of system calls that the filter refuses.
type refusal struct {
	calls []uintptr
	// when are conditions on the arguments. The call is refused if all hold.
	when []condition
	// errno is the error of the call. It is one that programs treat as "not available here",
	// so that they continue without the call.
	errno unix.Errno
}

// condition compares the lower 32 bits of an argument, masked by mask, with a value.
type condition struct {
	arg     int
	mask    uint32 // 0 keeps all bits
	value   uint32
	negated bool
}

func equals(arg int, value uint32) condition { return condition{arg: arg, value: value} }
func differs(arg int, value uint32) condition {
	return condition{arg: arg, value: value, negated: true}
}

// hasAny holds if the argument has any of the bits.
func hasAny(arg int, bits uint32) condition { return condition{arg: arg, mask: bits, negated: true} }

const (
	// setIDs are the mode bits that give a program the rights of its owner or group.
	setIDs = unix.S_ISUID | unix.S_ISGID
	// namespaces are the flags of clone(2) and unshare(2) that make a namespace.
	// CLONE_NEWTIME is not a flag of clone, where it is part of the signal.
	namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	socketType = 0xf // the bits of socket(2)'s type that are not flags
)

// refusals returns the refusals for commands with or without a granted port.
func refusals(port bool) []refusal {
	all := slices.Concat(processRefusals(), kernelRefusals(), fileRefusals(), modeRefusals(), socketRefusals(), archRefusals())
	if !port {
		// Landlock only checks connect and bind of TCP. It does not check data in the first
		// packet, a listening socket without an address, nor UDP before ABI 10.
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			all = append(all, refusal{[]uintptr{unix.SYS_SOCKET}, []condition{equals(0, family)}, unix.EACCES})
		}
	}
	return all
}

// processRefusals protect other processes of the same user: their limits, priorities and
// processors. As a process id, only 0 (the caller) is allowed: the filter cannot know the
// caller's own id.
func processRefusals() []refusal {
	other := []condition{differs(0, 0)}
	return []refusal{
		{[]uintptr{
			unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
			unix.SYS_SCHED_SETATTR, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
		}, other, unix.EPERM},
		// Both calls name a process, a group, or all processes of a user.
		{[]uintptr{unix.SYS_SETPRIORITY}, []condition{differs(0, unix.PRIO_PROCESS)}, unix.EPERM},
		{[]uintptr{unix.SYS_SETPRIORITY}, []condition{differs(1, 0)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOPRIO_SET}, []condition{differs(0, 1)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOPRIO_SET}, []condition{differs(1, 0)}, unix.EPERM},
		{[]uintptr{
			unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
			unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		}, nil, unix.EPERM},
		// Objects that processes share by number instead of by file. Programs that can work
		// without them assume a kernel without them.
		{[]uintptr{
			unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT, unix.SYS_SEMGET, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP, unix.SYS_SEMOP,
			unix.SYS_MSGGET, unix.SYS_MSGCTL, unix.SYS_MSGRCV, unix.SYS_MSGSND,
			unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
			unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		}, nil, unix.ENOSYS},
		// Input that a terminal would treat as typed by its user, and the contents of a
		// console.
		{[]uintptr{unix.SYS_IOCTL}, []condition{equals(1, unix.TIOCSTI)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{equals(1, unix.TIOCLINUX)}, unix.EPERM},
	}
}

// kernelRefusals protect the kernel: from calls that load code into it, change the machine,
// or have often had vulnerabilities. Most require capabilities that commands do not have.
func kernelRefusals() []refusal {
	return []refusal{
		{[]uintptr{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}, nil, unix.ENOSYS},
		{[]uintptr{unix.SYS_CLONE}, []condition{hasAny(0, namespaces)}, unix.EPERM},
		{[]uintptr{unix.SYS_UNSHARE}, []condition{hasAny(0, namespaces|unix.CLONE_NEWTIME)}, unix.EPERM},
		{[]uintptr{unix.SYS_CLONE3, unix.SYS_OPENAT2}, nil, unix.ENOSYS},
		{[]uintptr{
			unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
			unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
			unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
			unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
			unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
			unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
		}, nil, unix.EPERM},
	}
}

// fileRefusals concern files, where Landlock has no rules.
func fileRefusals() []refusal {
	return []refusal{
		// Flags such as "append only" can be set through a handle for reading, and so on
		// files that must not be changed.
		{[]uintptr{unix.SYS_IOCTL}, []condition{equals(1, unix.FS_IOC_SETFLAGS)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{equals(1, setFlags)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{equals(1, unix.FS_IOC_ENABLE_VERITY)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOCTL}, []condition{equals(1, unix.FS_IOC_SET_ENCRYPTION_POLICY)}, unix.EPERM},
		{[]uintptr{unix.SYS_FILE_SETATTR}, nil, unix.ENOSYS},
		// RENAME_WHITEOUT leaves a device in place of the file. Refused as by file systems
		// that do not support it.
		{[]uintptr{unix.SYS_RENAMEAT2}, []condition{hasAny(4, unix.RENAME_WHITEOUT)}, unix.EINVAL},
		// Calls that list mounts without access to /proc, and handles that open files without
		// walking folders. Refused as by kernels and file systems without them.
		{[]uintptr{unix.SYS_LISTMOUNT, unix.SYS_STATMOUNT}, nil, unix.ENOSYS},
		{[]uintptr{unix.SYS_NAME_TO_HANDLE_AT}, nil, unix.EOPNOTSUPP},
	}
}

// setFlags is FS_IOC_FSSETXATTR of linux/fs.h.
const setFlags = 0x401c5820

// modeRefusals prevent commands from leaving set-uid and set-gid programs behind.
func modeRefusals() []refusal {
	return []refusal{
		{[]uintptr{unix.SYS_FCHMOD}, []condition{hasAny(1, setIDs)}, unix.EPERM},
		{[]uintptr{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_MKNODAT}, []condition{hasAny(2, setIDs)}, unix.EPERM},
		// Without O_CREAT or O_TMPFILE the mode is ignored, so it may have any value.
		{[]uintptr{unix.SYS_OPENAT}, []condition{hasAny(2, unix.O_CREAT|tmpfile), hasAny(3, setIDs)}, unix.EPERM},
	}
}

// tmpfile is O_TMPFILE without O_DIRECTORY.
const tmpfile = unix.O_TMPFILE &^ unix.O_DIRECTORY

// socketRefusals refuse all protocols except Unix sockets, TCP, UDP, and the address tables
// of the kernel, which name resolution reads. Landlock has no rules for other protocols.
func socketRefusals() []refusal {
	socket := []uintptr{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR}
	all := []refusal{
		{socket, []condition{differs(0, unix.AF_UNIX), differs(0, unix.AF_INET), differs(0, unix.AF_INET6), differs(0, unix.AF_NETLINK)}, unix.EAFNOSUPPORT},
		{socket, []condition{equals(0, unix.AF_NETLINK), differs(2, unix.NETLINK_ROUTE)}, unix.EPROTONOSUPPORT},
	}
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		kind := condition{arg: 1, mask: socketType, negated: true}
		stream, datagram := kind, kind
		stream.value, datagram.value = unix.SOCK_STREAM, unix.SOCK_DGRAM
		all = append(all,
			refusal{socket, []condition{equals(0, family), stream, datagram}, unix.ESOCKTNOSUPPORT},
			refusal{socket, []condition{equals(0, family), differs(2, 0), differs(2, unix.IPPROTO_TCP), differs(2, unix.IPPROTO_UDP)}, unix.EPROTONOSUPPORT},
		)
	}
	// MSG_FASTOPEN sends data in the packet that opens a connection, and so connects without
	// connect.
	fast := uint32(unix.MSG_FASTOPEN)
	return append(all,
		refusal{[]uintptr{unix.SYS_SENDTO, unix.SYS_SENDMMSG}, []condition{hasAny(3, fast)}, unix.EOPNOTSUPP},
		refusal{[]uintptr{unix.SYS_SENDMSG}, []condition{hasAny(2, fast)}, unix.EOPNOTSUPP},
	)
}

// filters are the programs for commands with and without a granted port, made once.
var filters = map[bool]func() []unix.SockFilter{
	false: sync.OnceValue(func() []unix.SockFilter { return buildFilter(refusals(false)) }),
	true:  sync.OnceValue(func() []unix.SockFilter { return buildFilter(refusals(true)) }),
}

// installFilter installs the filter for the calling thread and everything that it starts. The
// thread must have no_new_privs.
func (r Rules) installFilter() error {
	program := filters[r.AnyPort || len(r.Ports) > 0]()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// checkSeccomp returns why the kernel has no usable filter of system calls, or "".
func checkSeccomp() string {
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
