//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepsFolders says that folders may be kept open: others can still move and remove them.
const keepsFolders = true

// lockFile locks the file, unless somebody else holds the lock. The lock ends when the file
// is closed, also by the end of the process. An error means that the file system has no
// locks.
func lockFile(file *os.File) (held bool, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return false, err
	}
	var lockErr error
	err = conn.Control(func(fd uintptr) {
		for {
			lockErr = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB)
			if lockErr != unix.EINTR {
				return
			}
		}
	})
	switch {
	case err != nil:
		return false, err
	case lockErr == unix.EWOULDBLOCK:
		return false, nil
	default:
		return lockErr == nil, lockErr
	}
}

// keepOwner gives the file the owner and group of the file that it replaces, as far as our
// user may. A user who may not change owners may still write files.
func keepOwner(tmp *temp, old fs.FileInfo) {
	file, made := tmp.file, tmp.made
	if made == nil {
		var err error
		if made, err = file.Stat(); err != nil {
			return
		}
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, ok2 := made.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || was.Uid == is.Uid && was.Gid == is.Gid {
		return
	}
	if file.Chown(int(was.Uid), int(was.Gid)) != nil {
		// The user may be allowed to change only the group.
		_ = file.Chown(-1, int(was.Gid))
	}
}

// cannotSync reports whether the error says that folders cannot be synced in this file system
// (some network and user-space file systems).
func cannotSync(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EBADF)
}
