//go:build unix

package container

import (
	"errors"
	"os"
	"syscall"
)

// ownedByUser returns an error if users other than the owner can write to the folder.
func ownedByUser(info os.FileInfo) error {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok && int(sys.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("other users can write to it")
	}
	return nil
}

func inode(info os.FileInfo) int64 {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(sys.Ino)
	}
	return 0
}
