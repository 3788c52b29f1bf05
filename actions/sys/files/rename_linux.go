package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew gives a file of the spot's folder the spot's name, and fails with
// fs.ErrExist where that is taken, whoever takes it and when.
func renameNew(s *spot, from string) error {
	err := s.rename(from, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return linkNew(s.dir, from, s.base)
	}
	return err
}

// renameOver gives a file of the spot's folder the spot's name, whatever file has
// it. Package os would look first whether that is a folder; the system says so.
func renameOver(s *spot, from string) error {
	err := s.rename(from, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return s.dir.Rename(from, s.base)
	}
	return err
}

// rename is renameat2 within the spot's folder: neither name leads anywhere else,
// for neither holds a slash.
func (s *spot) rename(from string, flags uint) error {
	folder, err := s.folder()
	if err != nil {
		return err
	}
	conn, err := folder.SyscallConn()
	if err != nil {
		return err
	}
	var renameErr error
	err = conn.Control(func(fd uintptr) {
		renameErr = unix.Renameat2(int(fd), from, int(fd), s.base, flags)
	})
	if err == nil && renameErr != nil {
		err = &os.LinkError{Op: "renameat2", Old: from, New: s.base, Err: renameErr}
	}
	return err
}
