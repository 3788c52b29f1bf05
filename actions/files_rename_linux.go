package actions

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew gives a file of the spot's folder the spot's name, and fails with
// fs.ErrExist where that is taken, whoever takes it and when.
func renameNew(s *spot, from string) error {
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
		renameErr = unix.Renameat2(int(fd), from, int(fd), s.base, unix.RENAME_NOREPLACE)
	})
	switch {
	case err != nil:
		return err
	case errors.Is(renameErr, unix.ENOSYS), errors.Is(renameErr, unix.EINVAL), errors.Is(renameErr, unix.ENOTSUP):
		return linkNew(s.dir, from, s.base)
	case renameErr != nil:
		return &os.LinkError{Op: "renameat2", Old: from, New: s.base, Err: renameErr}
	}
	return nil
}
