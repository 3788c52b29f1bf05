package actions

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames within a folder, and fails with fs.ErrExist where the new
// name is taken, whoever takes it and when.
func renameNew(dir *os.Root, from, to string) error {
	folder, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	conn, err := folder.SyscallConn()
	if err != nil {
		return err
	}
	var renameErr error
	err = conn.Control(func(fd uintptr) {
		renameErr = unix.Renameat2(int(fd), from, int(fd), to, unix.RENAME_NOREPLACE)
	})
	switch {
	case err != nil:
		return err
	case errors.Is(renameErr, unix.ENOSYS), errors.Is(renameErr, unix.EINVAL), errors.Is(renameErr, unix.ENOTSUP):
		return linkNew(dir, from, to)
	case renameErr != nil:
		return &os.LinkError{Op: "renameat2", Old: from, New: to, Err: renameErr}
	}
	return nil
}
