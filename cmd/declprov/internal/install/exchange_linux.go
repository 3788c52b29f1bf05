package install

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange replaces folder by staged. If both exist, it exchanges them atomically, if the
// file system can.
func exchange(staged, folder string) error {
	err := os.Rename(staged, folder)
	if err == nil || !errors.Is(err, os.ErrExist) {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, staged, unix.AT_FDCWD, folder, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return exchangeInTwoSteps(staged, folder)
	}
	return err
}
