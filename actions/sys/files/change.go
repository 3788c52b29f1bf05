package files

import (
	"errors"
	"fmt"
	"io/fs"
)

// change is one change of the file system. It begins with the walk to its place.
type change struct{ walk }

// finish keeps the folders that were made if something may have changed, and otherwise
// removes them.
func (c *change) finish(err error) {
	var changed *ChangedError
	if err == nil || errors.As(err, &changed) {
		c.keep()
	} else {
		c.undo()
	}
}

// syncNames writes the names in the spot's folder to the disk, so that they outlast a crash.
func (c *change) syncNames(s *spot) error {
	if err := c.files.runHook("sync folder"); err != nil {
		return err
	}
	folder, err := s.folder()
	if err != nil {
		return err
	}
	return syncDir(folder)
}

// explain adds the operation and path to an error, and keeps whether something changed. It leaves
// it to the action to say that nothing was: other changes of the same step may have been made.
func explain(verb, name string, err error) error {
	var changed *ChangedError
	if errors.As(err, &changed) {
		return &ChangedError{fmt.Errorf("%s %q: %w", verb, name, causeOf(changed.Err))}
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %q: %w", verb, name, addOverwriteRemedy(causeOf(err)))
	}
	return &UnchangedError{fmt.Errorf("%s %q: %w", verb, name, causeOf(err))}
}

// addOverwriteRemedy adds a remedy to the error of a file that exists.
func addOverwriteRemedy(err error) error {
	if errors.Is(err, fs.ErrExist) && !errors.Is(err, existingDir{}) {
		return fmt.Errorf("%w, and the spec replaces it only with overwrite: true", err)
	}
	return err
}

// addParentsRemedy adds a remedy to the error of a walk that did not find a folder. It does
// not if something else is in the folder's place.
func addParentsRemedy(err error) error {
	var blocked *notFolder
	if errors.Is(err, fs.ErrNotExist) && !errors.As(err, &blocked) {
		return fmt.Errorf("%w (a parent folder does not exist; set parents: true to create it)", err)
	}
	return err
}
