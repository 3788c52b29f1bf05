package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// keepsFolders is false: Windows neither moves nor removes a folder that anybody
// holds open.
const keepsFolders = false

// lockFile takes the file's lock if nobody has it. The lock ends with the open
// file, so also with the process, however that ends.
func lockFile(file *os.File) (held bool, err error) {
	// The last byte that a lock can have, so that it is in no reader's way.
	at := windows.Overlapped{Offset: ^uint32(0), OffsetHigh: ^uint32(0) >> 1}
	err = windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// keepOwner does nothing: on Windows a file's rights come from its folder.
func keepOwner(*temp, fs.FileInfo) {}

// cannotSync is true: Windows writes the names in a folder by itself.
func cannotSync(error) bool { return true }
