package install

import (
	"errors"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Pulumi keeps files about a plugin next to its folder. They have the name of the folder, and one of
// these endings (pulumi/pulumi v3.259.0, pkg/pluginstorage/download.go).
const (
	// lockExt is that of the file which is locked by the process that writes the plugin.
	lockExt = ".lock"
	// partialExt is that of a mark: the plugin is incomplete, so Pulumi does not use it. A download
	// that fails leaves it behind.
	partialExt  = ".partial"
	lastUsedExt = ".lastused"
)

// lockPlugin waits until no other process, declprov or Pulumi, writes the plugin in a folder, and
// prevents that one does so before unlock.
func lockPlugin(folder string) (unlock func(), err error) {
	return lockedfile.MutexAt(folder + lockExt).Lock()
}

// isIncomplete reports whether Pulumi takes the plugin in a folder for incomplete. Such a plugin is
// not installed, whatever its files are.
func isIncomplete(folder string) bool {
	_, err := os.Lstat(folder + partialExt)
	return err == nil
}

// markComplete removes the mark of an incomplete plugin.
func markComplete(folder string) error {
	return ignoreGone(os.Remove(folder + partialExt))
}

// removePlugin removes a plugin with all files that Pulumi keeps about it.
func removePlugin(folder string) error {
	unlock, err := lockPlugin(folder)
	if err != nil {
		return err
	}
	err = errors.Join(os.RemoveAll(folder), markComplete(folder), ignoreGone(os.Remove(folder+lastUsedExt)))
	unlock()
	_ = os.Remove(folder + lockExt) // Pulumi ignores this error, too: another process may have the lock
	return err
}
