//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepsFolders says that a folder that is held open can be moved and removed all
// the same.
const keepsFolders = true

// lockFile takes the file's lock if nobody has it. The lock ends with the open
// file, so also with the process, however that ends. An error means that the
// file system has no locks.
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

// keepOwner gives the file the owner and group of the one it is to replace, as
// far as our user may: who may not give files away still may write them.
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
		// The group alone can be ours to give.
		_ = file.Chown(-1, int(was.Gid))
	}
}

// cannotSync reports whether the error of a sync says that a folder has none
// here (some file systems over a network, or in user space).
func cannotSync(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EBADF)
}
