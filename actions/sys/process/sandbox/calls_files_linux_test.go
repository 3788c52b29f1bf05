package sandbox

import (
	"fmt"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pathOf returns a path as an argument of a system call.
func pathOf(path string) uintptr {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return 0
	}
	return uintptr(unsafe.Pointer(p))
}

const atWorking = ^uintptr(99) // AT_FDCWD

// reached returns nil if err is an error that only permitted callers get, because the
// arguments are invalid. So the call has no effect.
func reached(err, late error) error {
	if err == late {
		return nil
	}
	if err == nil {
		return fmt.Errorf("the call succeeded, want %v", late)
	}
	return err
}

// fileCalls returns calls about files.
func fileCalls() map[string]func(args []string) error {
	return map[string]func([]string) error{
		"open": func(a []string) error {
			_, err := unix.Open(a[0], unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
			return err
		},
		"reopen": func(a []string) error {
			fd, err := unix.Open(a[0], unix.O_PATH, 0)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", fd))
			os.Stdout.Write(content)
			return err
		},
		"tmpfile": func(a []string) error {
			_, err := unix.Open(a[0], unix.O_TMPFILE|unix.O_WRONLY, 0o600)
			return err
		},
		"tmplink": func(a []string) error {
			fd, err := unix.Open(a[0], unix.O_TMPFILE|unix.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, a[1], unix.AT_SYMLINK_FOLLOW)
		},
		"mknod": func(a []string) error { return unix.Mknod(a[0], unix.S_IFREG|0o644, 0) },
		"bindunix": func(a []string) error {
			l, err := net.Listen("unix", a[0])
			if err == nil {
				err = l.Close()
			}
			return err
		},
		"whiteout": func(a []string) error {
			return unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_WHITEOUT)
		},
		"execute": func(a []string) error {
			fd, err := unix.Open(a[0], unix.O_PATH, 0)
			if err != nil {
				return err
			}
			argv := [2]uintptr{pathOf(a[0])}
			var none uintptr
			return call(unix.SYS_EXECVEAT, uintptr(fd), pathOf(""), at(&argv), at(&none), unix.AT_EMPTY_PATH)
		},
		"attributes": func(a []string) error {
			_, err := unix.Getxattr(a[0], "user.declprov", make([]byte, 1))
			return reached(err, unix.ENODATA)
		},
		"trusted": func(a []string) error { return unix.Setxattr(a[0], "trusted.declprov", []byte("x"), 0) },
		"flags": func(a []string) error {
			fd, err := unix.Open(a[0], unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			const noDump = 0x40
			flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
			if err != nil {
				return err
			}
			return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags|noDump)
		},
		"setattr": func(a []string) error {
			attr := [6]uint32{0x80} // struct file_attr: FS_XFLAG_NODUMP
			return call(unix.SYS_FILE_SETATTR, atWorking, pathOf(a[0]), at(&attr), unsafe.Sizeof(attr), 0)
		},
		"tohandle": func(a []string) error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0); return err },
		"opentree": func(a []string) error { _, err := unix.OpenTree(unix.AT_FDCWD, a[0], 0); return err },
		"listmount": func([]string) error {
			request, found := [3]uint64{24, ^uint64(0)}, [8]uint64{} // struct mnt_id_req: LSMT_ROOT
			return call(unix.SYS_LISTMOUNT, at(&request), at(&found), uintptr(len(found)), 0)
		},
		"statmount": func([]string) error {
			var stat unix.Statx_t
			if err := unix.Statx(unix.AT_FDCWD, "/", 0, 0x4000, &stat); err != nil { // STATX_MNT_ID_UNIQUE
				return err
			}
			const basic = 2 // STATMOUNT_MNT_BASIC
			request, found := [3]uint64{24, stat.Mnt_id, basic}, [512]uint64{}
			return call(unix.SYS_STATMOUNT, at(&request), at(&found), unsafe.Sizeof(found), 0)
		},
	}
}
