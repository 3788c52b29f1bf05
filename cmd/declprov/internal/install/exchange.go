package install

import (
	"errors"
	"os"
)

// inTwoSteps puts the folder staged where folder is, on systems that cannot do
// it in one; if the second step fails, the first is taken back.
func inTwoSteps(staged, folder string) error {
	old := staged + ".old"
	if err := os.Rename(folder, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(staged, folder); err != nil {
		return errors.Join(err, ignoreGone(os.Rename(old, folder)))
	}
	return os.RemoveAll(old)
}
