//go:build !linux

package actions

import "os"

// renameNew renames within a folder, and fails with fs.ErrExist where the new
// name is taken, whoever takes it and when.
func renameNew(dir *os.Root, from, to string) error { return linkNew(dir, from, to) }
