package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// call makes a system call by number.
func call(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func at[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

// calls returns the system calls by the names in the scripts of the escapes. Each succeeds
// without a sandbox. The arguments are those of the script.
func calls() map[string]func(args []string) error {
	pid := func(args []string) uintptr {
		n, _ := strconv.Atoi(args[0])
		return uintptr(n)
	}
	path := func(args []string) uintptr { return pathOf(args[0]) }
	const two = 2 // times: of access and of change
	return map[string]func([]string) error{
		"prlimit": func(a []string) error {
			return call(unix.SYS_PRLIMIT64, pid(a), 3, at(&unix.Rlimit{Cur: 1 << 20, Max: 1 << 30}))
		},
		"affinity": func(a []string) error { m := ^uint64(0); return call(unix.SYS_SCHED_SETAFFINITY, pid(a), 8, at(&m)) },
		"scheduler": func(a []string) error {
			var priority uint32
			return call(unix.SYS_SCHED_SETSCHEDULER, pid(a), 3, at(&priority))
		},
		"schedattr": func(a []string) error {
			attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: 3, Nice: 19}
			return call(unix.SYS_SCHED_SETATTR, pid(a), at(&attr), 0)
		},
		"priority":      func(a []string) error { return call(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, pid(a), 19) },
		"grouppriority": func(a []string) error { return call(unix.SYS_SETPRIORITY, unix.PRIO_PGRP, pid(a), 19) },
		"ioprio":        func(a []string) error { return call(unix.SYS_IOPRIO_SET, 1, pid(a), 2<<13|7) },
		"kcmp":          func(a []string) error { return call(unix.SYS_KCMP, pid(a), uintptr(os.Getppid()), 0, 1, 1) },
		"poke": func(a []string) error {
			b := [1]byte{}
			local := []unix.Iovec{{Base: &b[0], Len: 1}}
			if _, err := unix.ProcessVMWritev(int(pid(a)), local, []unix.RemoteIovec{{Base: 0, Len: 1}}, 0); err != unix.EFAULT {
				return fmt.Errorf("process_vm_writev: %w", err)
			}
			return nil
		},
		"pidfdsignal": func(a []string) error {
			fd, err := unix.PidfdOpen(int(pid(a)), 0)
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, 0, nil, 0)
		},
		"getfd": func(a []string) error {
			fd, err := unix.PidfdOpen(int(pid(a)), 0)
			if err != nil {
				return err
			}
			_, err = unix.PidfdGetfd(fd, 0, 0)
			return err
		},
		"advise": func(a []string) error {
			fd, err := unix.PidfdOpen(int(pid(a)), 0)
			if err != nil {
				return err
			}
			var none unix.Iovec
			return call(unix.SYS_PROCESS_MADVISE, uintptr(fd), at(&none), 0, unix.MADV_COLD, 0)
		},
		"queue": func(a []string) error {
			info := [128]byte{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff}
			return call(unix.SYS_RT_SIGQUEUEINFO, pid(a), 0, at(&info))
		},
		"shmget": func([]string) error { return shared(unix.SYS_SHMGET, unix.SYS_SHMCTL, 4096) },
		"semget": func([]string) error { return shared(unix.SYS_SEMGET, unix.SYS_SEMCTL, 1) },
		"msgget": func([]string) error { return shared(unix.SYS_MSGGET, unix.SYS_MSGCTL, 0) },
		"mqopen": func([]string) error {
			name := path([]string{"declprov-" + strconv.Itoa(os.Getpid())})
			if err := call(unix.SYS_MQ_OPEN, name, unix.O_CREAT|unix.O_RDWR, 0o600, 0); err != nil {
				return err
			}
			return call(unix.SYS_MQ_UNLINK, name)
		},
		"keyctl": func([]string) error { return call(unix.SYS_KEYCTL, 0, ^uintptr(2), 1) }, // KEYCTL_GET_KEYRING_ID of the session
		"addkey": func([]string) error {
			b := byte(1)
			return call(unix.SYS_ADD_KEY, path([]string{"user"}), path([]string{"declprov"}), at(&b), 1, ^uintptr(3))
		},
		"iouring": func([]string) error { p := [120]byte{}; return call(unix.SYS_IO_URING_SETUP, 1, at(&p)) },
		"openat2": func(a []string) error {
			h := unix.OpenHow{Flags: unix.O_PATH}
			return call(unix.SYS_OPENAT2, atWorking, path(a), at(&h), unix.SizeofOpenHow)
		},
		"clone3":   clone3,
		"newuser":  func([]string) error { return clone(unix.CLONE_NEWUSER) },
		"vsock":    socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		"mptcp":    socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP),
		"uevents":  socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT),
		"raw":      socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP),
		"raw6":     socket(unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_ICMPV6),
		"packet":   socket(unix.AF_PACKET, unix.SOCK_RAW, 0),
		"fastopen": func(a []string) error { return fastOpen(a[0], unix.SYS_SENDTO) },
		"fastmsg":  func(a []string) error { return fastOpen(a[0], unix.SYS_SENDMSG) },
		"unbound":  func([]string) error { return listenUnbound(unix.AF_INET) },
		"unbound6": func([]string) error { return listenUnbound(unix.AF_INET6) },
		"udp":      udp,
		"fchmod": func(a []string) error {
			fd, err := unix.Open(a[0], unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			return unix.Fchmod(fd, 0o4755)
		},
		"fchmodat":  func(a []string) error { return call(unix.SYS_FCHMODAT, atWorking, path(a), 0o4755) },
		"fchmodat2": func(a []string) error { return call(unix.SYS_FCHMODAT2, atWorking, path(a), 0o4755, 0) },
		"setgid":    func(a []string) error { return call(unix.SYS_FCHMODAT, atWorking, path(a), 0o2755) },
		"openmode": func(a []string) error {
			return call(unix.SYS_OPENAT, atWorking, path(a), unix.O_CREAT|unix.O_WRONLY, 0o4755)
		},
		"tmpmode": func(a []string) error {
			return call(unix.SYS_OPENAT, atWorking, path(a), unix.O_TMPFILE|unix.O_WRONLY, 0o4755)
		},
		"nodemode": func(a []string) error { return call(unix.SYS_MKNODAT, atWorking, path(a), unix.S_IFREG|0o4755, 0) },
		"filecaps": func(a []string) error {
			caps := [5]uint32{2<<24 | 1, 1 << unix.CAP_NET_RAW, 0, 0, 0} // struct vfs_cap_data, revision 2
			return unix.Setxattr(a[0], "security.capability", unsafe.Slice((*byte)(unsafe.Pointer(&caps)), 20), 0)
		},
		"bpf": func([]string) error {
			attr := [2]uint64{} // an empty array is invalid, but only for permitted callers
			if err := call(unix.SYS_BPF, 0, at(&attr), 16); err != unix.EINVAL {
				return err
			}
			return nil
		},
		"perf": func([]string) error {
			attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{}))}
			_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
			return err
		},
		"kernelfault": func([]string) error { return call(unix.SYS_USERFAULTFD, 0) },
		"dmesg":       func([]string) error { return call(unix.SYS_SYSLOG, 10, 0, 0) },
		"fsopen":      func([]string) error { return call(unix.SYS_FSOPEN, path([]string{"tmpfs"}), 0) },
		"clock":       setClock,
		"chroot":      func(a []string) error { return unix.Chroot(a[0]) },
		"handle":      openByHandle,
		"times":       func(a []string) error { return unix.Utimes(a[0], make([]unix.Timeval, two)) },
		"attribute":   func(a []string) error { return unix.Setxattr(a[0], "user.declprov", []byte("x"), 0) },
		"watch": func(a []string) error {
			fd, err := unix.InotifyInit()
			if err != nil {
				return err
			}
			_, err = unix.InotifyAddWatch(fd, a[0], unix.IN_CREATE)
			return err
		},
		"inmemory": func(a []string) error {
			content, err := os.ReadFile(a[0])
			if err != nil {
				return err
			}
			fd, err := unix.MemfdCreate("program", 0)
			if err != nil {
				return err
			}
			if _, err := unix.Write(fd, content); err != nil {
				return err
			}
			return unix.Exec(fmt.Sprintf("/proc/self/fd/%d", fd), a, nil)
		},
	}
}

func socket(family, kind, protocol int) func([]string) error {
	return func([]string) error {
		_, err := unix.Socket(family, kind, protocol)
		return err
	}
}

// shared makes an object that processes share by number, and removes it.
func shared(get, control, size uintptr) error {
	const private, create, remove = 0, 0o1600, 0
	args := []uintptr{private, size, create}
	if get == unix.SYS_MSGGET {
		args = []uintptr{private, create}
	}
	var a [3]uintptr
	copy(a[:], args)
	id, _, errno := unix.RawSyscall(get, a[0], a[1], a[2])
	if errno != 0 {
		return errno
	}
	if get == unix.SYS_SEMGET {
		return call(control, id, 0, remove)
	}
	return call(control, id, remove)
}

// clone3 starts a process that ends immediately.
func clone3([]string) error {
	args := [11]uint64{4: uint64(unix.SIGCHLD)} // struct clone_args
	return child(unix.SYS_CLONE3, at(&args), unsafe.Sizeof(args))
}

func clone(flags uintptr) error { return child(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD)) }

// child makes a process by a system call. The process ends immediately.
func child(nr uintptr, args ...uintptr) error {
	var a [4]uintptr
	copy(a[:], args)
	pid, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

func ipv4(address string) (*unix.SockaddrInet4, error) {
	a, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return nil, err
	}
	return &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())}, nil
}

// fastOpen connects by sending, without connect.
func fastOpen(address string, by uintptr) error {
	to, err := ipv4(address)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if by == unix.SYS_SENDTO {
		return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, to)
	}
	return unix.Sendmsg(fd, []byte("x"), nil, to, unix.MSG_FASTOPEN)
}

// listenUnbound listens without bind, so that the kernel chooses the port.
func listenUnbound(family int) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Listen(fd, 1)
}

func udp(args []string) error {
	to, err := ipv4(args[0])
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), 0, to)
}

// setClock changes the clock by zero.
func setClock([]string) error {
	_, err := unix.Adjtimex(&unix.Timex{Modes: unix.ADJ_SETOFFSET})
	return err
}

// openByHandle opens a file by its handle, without walking folders.
func openByHandle(args []string) error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, args[0], 0)
	if err != nil {
		return err
	}
	dir, err := unix.Open(filepath.Dir(args[0]), unix.O_PATH, 0)
	if err != nil {
		return err
	}
	mount, err := unix.Open(os.Getenv("IN"), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	fd, err := unix.OpenByHandleAt(mount, handle, unix.O_RDONLY)
	if err != nil {
		return err
	}
	b := make([]byte, len(secret))
	_, err = unix.Read(fd, b)
	os.Stdout.Write(b)
	return err
}
