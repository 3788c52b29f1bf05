package install

import (
	"errors"
	"os"
)

// exchangeInTwoSteps replaces folder by staged, on systems that cannot exchange folders
// atomically. If the second step fails, it reverts the first.
func exchangeInTwoSteps(staged, folder string) error {
	old := staged + ".old"
	if err := os.Rename(folder, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(staged, folder); err != nil {
		return errors.Join(err, ignoreGone(os.Rename(old, folder)))
	}
	return os.RemoveAll(old)
}
