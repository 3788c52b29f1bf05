package files

import (
	"errors"
	"fmt"
	"io/fs"
)

// change is one change of the file system: the walk to its place, and what is done there.
type change struct{ walk }

// end keeps the made folders after a change, and else takes them back.
func (c *change) end(err error) {
	var changed *ChangedError
	if err == nil || errors.As(err, &changed) {
		c.keep()
	} else {
		c.undo()
	}
}

// settle makes the names in the spot's folder outlast a crash.
func (c *change) settle(s *spot) error {
	if err := c.files.at("sync folder"); err != nil {
		return err
	}
	folder, err := s.folder()
	if err != nil {
		return err
	}
	return syncDir(folder)
}

// explain says what was tried, and keeps whether something changed.
func explain(verb, name string, err error) error {
	var changed *ChangedError
	if errors.As(err, &changed) {
		return &ChangedError{fmt.Errorf("%s %q: %w", verb, name, because(changed.Err))}
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %q: %w", verb, name, remedy(because(err)))
	}
	return fmt.Errorf("%s %q: %w; nothing has changed", verb, name, because(err))
}

// remedy adds what to do about a file that exists.
func remedy(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; set overwrite: true to replace it", err)
	}
	return err
}

// missingParent adds the remedy to a walk that found no folder to work in. One
// that found something else in a folder's place has no such remedy.
func missingParent(err error) error {
	var blocked *notFolder
	if errors.Is(err, fs.ErrNotExist) && !errors.As(err, &blocked) {
		return fmt.Errorf("%w (a folder on the way is missing; set parents: true to make it)", err)
	}
	return err
}
