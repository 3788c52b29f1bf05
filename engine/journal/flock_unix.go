//go:build linux || darwin || freebsd || netbsd || openbsd

package journal

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	exclusive = unix.LOCK_EX
	shared    = unix.LOCK_SH
)

// tryLock locks a file until it is closed. held is false if another open file holds
// the lock. It returns an error if the file system does not support locks.
func tryLock(f *os.File, how int) (held bool, err error) {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.EINTR):
			continue
		}
		return false, err
	}
}

// lockFolder serializes the changes of all processes to the journal. It has no effect
// on a file system without locks: two processes that change the intents of the same
// resource at the same moment may then both send a request.
func lockFolder(dir string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil && !noLocks(err) {
			return nil, errors.Join(err, f.Close())
		}
		return func() { _ = f.Close() }, nil
	}
}

func noLocks(err error) bool {
	return errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL)
}

// notSyncable reports whether the error means that the file system cannot sync
// folders, or need not.
func notSyncable(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.ENOTSUP)
}
