// Package memory makes temporary folders in memory. Tests make tens of thousands of small files that nobody needs after a loss of power: on a disk,
// they spend a third of their processor time on making, syncing and removing them.
package memory

import "os"

// enough is the space in bytes that must be free: much more than the 50 MB that a run of all tests was seen to use.
const enough = 4 << 30

// MkdirTemp makes a new folder in memory, whose name begins with prefix. It returns "" on systems other than Linux, if too little memory is free, and if
// programs may not be run from there. The caller removes the folder.
func MkdirTemp(prefix string) string {
	root := usable()
	if root == "" {
		return ""
	}
	dir, err := os.MkdirTemp(root, prefix)
	if err != nil {
		return ""
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil { // as /tmp: tests run servers as other users
		os.RemoveAll(dir)
		return ""
	}
	return dir
}
