package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/declprov/declprov/actions/grant"
)

// Remove removes a file, a symbolic link (not its target), or an empty directory; with
// recursive also a directory with its contents. If nothing is there, it returns an
// fs.ErrNotExist.
//
// Unless the error is a *ChangedError, nothing was changed.
func (f *Files) Remove(ctx context.Context, name string, recursive bool) error {
	c := change{walk{files: f, access: grant.Write, entry: true}}
	s, err := c.find(name)
	if err != nil {
		return fmt.Errorf("delete %w", err)
	}
	defer s.close()
	if s.base == "." {
		return fmt.Errorf("delete %q: the root of the file system cannot be deleted", name)
	}
	f.sweep(s)
	if err := c.remove(ctx, s, recursive); err != nil {
		var changed *ChangedError
		if errors.As(err, &changed) || errors.Is(err, fs.ErrNotExist) {
			return explainRemove(name, err)
		}
		return explain("delete", name, err)
	}
	if err := c.syncNames(s); err != nil {
		return &ChangedError{fmt.Errorf("delete %q: it was deleted, but may reappear after a crash of the system: %w", name, causeOf(err))}
	}
	return nil
}

func explainRemove(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %q: %w", name, causeOf(err))
	}
	return explain("delete", name, err)
}

func (c *change) remove(ctx context.Context, s *spot, recursive bool) error {
	info, err := s.dir.Lstat(s.base)
	if err != nil {
		return err
	}
	if err := c.files.runHook("remove"); err != nil {
		return err
	}
	if info.IsDir() {
		return c.removeDir(ctx, s, info, recursive)
	}
	return s.dir.Remove(s.base)
}

func (c *change) removeDir(ctx context.Context, s *spot, info fs.FileInfo, recursive bool) error {
	sub, err := s.dir.OpenRoot(s.base)
	if err != nil {
		return err
	}
	defer sub.Close()
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(opened, info) {
		return errors.Join(err, errReplaced)
	}
	if !recursive {
		return c.removeEmpty(s, sub)
	}
	if !c.files.grantsTree(s.path) {
		return errors.New(`deleting a directory with its contents requires a grant of the whole tree ("…/**") in permissions.write`)
	}
	entries, err := fs.ReadDir(sub.FS(), ".")
	if err != nil {
		return err
	}
	for i, e := range entries {
		err := context.Cause(ctx)
		if err == nil {
			err = c.files.runHook("remove member")
		}
		if err == nil {
			err = sub.RemoveAll(e.Name())
		}
		if err != nil && i > 0 || err != nil && e.IsDir() {
			return &ChangedError{fmt.Errorf("it was deleted only in part: %q: %w", e.Name(), causeOf(err))}
		}
		if err != nil {
			return err
		}
	}
	if err := s.dir.Remove(s.base); err != nil {
		return &ChangedError{err}
	}
	return nil
}

// removeEmpty removes a directory that contains nothing but our stale temporary files.
func (c *change) removeEmpty(s *spot, sub *os.Root) error {
	inside := &spot{dir: sub, base: ".", path: s.path + string(os.PathSeparator) + "."}
	defer inside.close() // this closes sub too
	c.files.sweep(inside)
	err := s.dir.Remove(s.base)
	if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist) {
		return errors.New("the directory is not empty; set recursive: true to delete it with its contents")
	}
	return err
}

// grantsTree reports whether everything below a path may be written.
func (f *Files) grantsTree(path string) bool {
	for _, r := range f.rules {
		if r.Allows(grant.Write) && r.Tree && r.Matches(path) {
			return true
		}
	}
	return false
}
