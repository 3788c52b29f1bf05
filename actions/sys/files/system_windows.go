package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// keepsFolders is false: Windows neither moves nor removes an open folder.
const keepsFolders = false

// lockFile locks the file, unless somebody else holds the lock. The lock ends when the file
// is closed, also by the end of the process.
func lockFile(file *os.File) (held bool, err error) {
	// Lock the last possible byte, so that the lock does not affect readers.
	at := windows.Overlapped{Offset: ^uint32(0), OffsetHigh: ^uint32(0) >> 1}
	err = windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// keepOwner does nothing: on Windows a file inherits its permissions from its folder.
func keepOwner(*temp, fs.FileInfo) {}

// cannotSync returns true: Windows writes the names in a folder by itself.
func cannotSync(error) bool { return true }
