package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file in the spot's folder to the spot's name. If that name exists, it
// fails atomically with fs.ErrExist.
func renameNew(s *spot, from string) error {
	err := s.rename(from, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return linkNew(s.dir, from, s.base)
	}
	return err
}

// renameOver renames a file in the spot's folder to the spot's name, and replaces a file with
// that name. It does not use package os, which would first check whether the name is a
// folder; the system call reports that too.
func renameOver(s *spot, from string) error {
	err := s.rename(from, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return s.dir.Rename(from, s.base)
	}
	return err
}

// rename calls renameat2 within the spot's folder. Neither name contains a slash, so neither
// leads anywhere else.
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
