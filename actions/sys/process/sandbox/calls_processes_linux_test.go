package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// processCalls returns calls about processes. The first argument is a process id.
func processCalls() map[string]func(args []string) error {
	pid := func(args []string) int {
		n, _ := strconv.Atoi(args[0])
		return n
	}
	info := [128]byte{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff} // SI_QUEUE
	return map[string]func([]string) error{
		"killgroup": func(a []string) error { return unix.Kill(-pid(a), 0) },
		"tgkill":    func(a []string) error { return unix.Tgkill(pid(a), pid(a), 0) },
		"tgqueue": func(a []string) error {
			return call(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(pid(a)), uintptr(pid(a)), 0, at(&info))
		},
		"sigio":  func(a []string) error { return signalByFile(pid(a)) },
		"memory": func(a []string) error { _, err := unix.Open("/proc/"+a[0]+"/mem", unix.O_RDWR, 0); return err },
		"robust": func(a []string) error {
			var head, size uintptr
			return call(unix.SYS_GET_ROBUST_LIST, uintptr(pid(a)), at(&head), at(&size))
		},
		"movepages": func(a []string) error {
			page, status := uintptr(0), int32(0)
			return call(unix.SYS_MOVE_PAGES, uintptr(pid(a)), 1, at(&page), 0, at(&status), 0)
		},
		"migrate": func(a []string) error {
			nodes := uint64(1)
			return call(unix.SYS_MIGRATE_PAGES, uintptr(pid(a)), 64, at(&nodes), at(&nodes))
		},
		"setns": func(a []string) error {
			fd, err := unix.PidfdOpen(pid(a), 0)
			if err != nil {
				return err
			}
			return unix.Setns(fd, unix.CLONE_NEWUTS)
		},
		"release": func(a []string) error {
			fd, err := unix.PidfdOpen(pid(a), 0)
			if err != nil {
				return err
			}
			return reached(call(unix.SYS_PROCESS_MRELEASE, uintptr(fd), 0), unix.EINVAL) // the process is not ending
		},
		"pidfd": func(a []string) error { _, err := unix.PidfdOpen(pid(a), 0); return err },
		"session": func(a []string) error {
			if _, err := unix.Getsid(pid(a)); err != nil {
				return err
			}
			_, err := unix.Getpgid(pid(a))
			return err
		},
		"scheduling": func(a []string) error {
			if _, err := unix.Getpriority(unix.PRIO_PROCESS, pid(a)); err != nil {
				return err
			}
			_, err := unix.SchedGetAttr(pid(a), 0)
			return err
		},
		"behind": func(a []string) error {
			runtime.LockOSThread()
			allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
			prog := unix.SockFprog{Len: 1, Filter: &allow}
			if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
				return err
			}
			if err := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, at(&prog)); err != nil {
				return err
			}
			return help(a[0], a[1:])
		},
	}
}

// signalByFile makes the kernel signal a process when a socket becomes readable.
func signalByFile(pid int) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(pair[0]), unix.F_SETOWN, pid); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(pair[0]), unix.F_SETFL, unix.O_ASYNC); err != nil {
		return err
	}
	_, err = unix.Write(pair[1], []byte("x"))
	return err
}

// kernelCalls returns calls that change the kernel or the machine.
func kernelCalls() map[string]func(args []string) error {
	const nowhere = "/nowhere/at/all"
	return map[string]func([]string) error{
		"unshareuser": func([]string) error {
			// The kernel refuses this for a process with several threads.
			return reached(unix.Unshare(unix.CLONE_NEWUSER), unix.EINVAL)
		},
		"unmount": func(a []string) error { return reached(unix.Unmount(a[0], 0), unix.EINVAL) },
		"mountsetattr": func(a []string) error {
			return reached(unix.MountSetattr(unix.AT_FDCWD, a[0], 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}), unix.EINVAL)
		},
		"pivotroot": func(a []string) error { return reached(unix.PivotRoot(a[0], a[0]), unix.EBUSY) },
		"module":    func([]string) error { return reached(call(unix.SYS_DELETE_MODULE, pathOf("declprov"), 0), unix.ENOENT) },
		"insert": func([]string) error {
			return reached(call(unix.SYS_FINIT_MODULE, ^uintptr(0), pathOf(""), 0), unix.EBADF)
		},
		"kexec": func([]string) error { return reached(call(unix.SYS_KEXEC_LOAD, 0, 0, 0, unknownFlag), unix.EINVAL) },
		"kexecfile": func([]string) error {
			return reached(call(unix.SYS_KEXEC_FILE_LOAD, ^uintptr(0), ^uintptr(0), 0, 0, unknownFlag), unix.EINVAL)
		},
		"quota": func([]string) error { return call(unix.SYS_QUOTACTL, syncQuotas, 0, 0, 0) },
		"quotaof": func(a []string) error {
			fd, err := unix.Open(a[0], unix.O_PATH, 0)
			if err != nil {
				return err
			}
			// The disk of the folder may have no quotas.
			err = call(unix.SYS_QUOTACTL_FD, uintptr(fd), syncQuotas, 0, 0)
			if err == unix.ESRCH || err == unix.EBADF {
				return nil
			}
			return err
		},
		"userfault": func([]string) error { return call(unix.SYS_USERFAULTFD, 1) }, // UFFD_USER_MODE_ONLY
		"zone": func([]string) error {
			zone := [2]int32{1 << 20}
			return reached(call(unix.SYS_SETTIMEOFDAY, 0, at(&zone)), unix.EINVAL)
		},
		"domainname": func([]string) error {
			var name unix.Utsname
			if err := unix.Uname(&name); err != nil {
				return err
			}
			return unix.Setdomainname([]byte(unix.ByteSliceToString(name.Domainname[:])))
		},
		"reboot":       func([]string) error { return reached(call(unix.SYS_REBOOT, 0, 0, 0, 0), unix.EINVAL) },
		"swapon":       func([]string) error { return reached(call(unix.SYS_SWAPON, pathOf(nowhere), 0), unix.ENOENT) },
		"swapoff":      func([]string) error { return reached(call(unix.SYS_SWAPOFF, pathOf(nowhere)), unix.ENOENT) },
		"acct":         func([]string) error { return reached(call(unix.SYS_ACCT, pathOf(nowhere)), unix.ENOENT) },
		"vhangup":      func([]string) error { return call(unix.SYS_VHANGUP) },
		"type":         func([]string) error { b := byte('x'); return call(unix.SYS_IOCTL, terminal, unix.TIOCSTI, at(&b)) },
		"console":      func([]string) error { return reached(call(unix.SYS_IOCTL, terminal, unix.TIOCLINUX, 0), unix.ENOTTY) },
		"capabilities": capabilities,
		"shed":         func([]string) error { return Rules{}.StartConfined(func() error { return nil }) },
		"regain":       regain,
		"ambient":      func([]string) error { return raise(unix.CAP_SYS_PTRACE) },
		"fanotify":     fanotify,
		"securebits": func([]string) error {
			const keep = 1 << 4 // SECBIT_KEEP_CAPS
			return unix.Prctl(unix.PR_SET_SECUREBITS, keep, 0, 0, 0)
		},
		"requestkey": func([]string) error {
			return reached(call(unix.SYS_REQUEST_KEY, pathOf("user"), pathOf("declprov"), 0, ^uintptr(2)), unix.ENOKEY)
		},
	}
}

const (
	// unknownFlag is not a flag of kexec_load(2) or kexec_file_load(2).
	unknownFlag = 1 << 12
	// syncQuotas is Q_SYNC of quotactl(2) for user quotas, which everybody may call.
	syncQuotas = 0x800001 << 8
)

// terminal is the file descriptor of the terminal that scripts inherit.
const terminal = 3

func fanotify(args []string) error {
	flags := 0
	if len(args) > 0 {
		flags = unix.FAN_REPORT_FID // required for non-root users
	}
	return call(unix.SYS_FANOTIFY_INIT, uintptr(flags), 0)
}

// capabilitySets returns the capability sets of this thread.
func capabilitySets() (unix.CapUserHeader, [2]unix.CapUserData, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	err := unix.Capget(&header, &sets[0])
	return header, sets, err
}

// regain makes all permitted capabilities effective again.
func regain([]string) error {
	header, sets, err := capabilitySets()
	if err != nil {
		return err
	}
	sets[0].Permitted |= 1 << unix.CAP_SYS_PTRACE
	sets[0].Effective |= 1 << unix.CAP_SYS_PTRACE
	return unix.Capset(&header, &sets[0])
}

// raise makes a capability ambient, so that programs inherit it.
func raise(capability uint) error {
	header, sets, err := capabilitySets()
	if err != nil {
		return err
	}
	sets[0].Inheritable |= 1 << capability
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, uintptr(capability), 0, 0)
}

// inMemory runs a program from memory, without a file in a folder.
func inMemory(content []byte, args []string) error {
	fd, err := unix.MemfdCreate("program", 0)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, content); err != nil {
		return err
	}
	argv, env := [2]uintptr{pathOf(args[0])}, uintptr(0)
	if err := call(unix.SYS_EXECVEAT, uintptr(fd), pathOf(""), at(&argv), at(&env), unix.AT_EMPTY_PATH); err != nil {
		return fmt.Errorf("starting a program from memory: %w", err)
	}
	return os.ErrProcessDone
}
