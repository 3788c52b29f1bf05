//go:build unix

package actions

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

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

// cannotSync reports whether the error of a sync says that a folder has none
// here (some file systems over a network, or in user space).
func cannotSync(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EBADF)
}
