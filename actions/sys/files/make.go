package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/declprov/declprov/actions/grant"
)

// MkdirOptions are the options of Mkdir.
type MkdirOptions struct {
	// Mode is the exact mode, independent of the umask. Nil means 0777 less the umask, and
	// keeps the mode of a directory that exists.
	Mode *fs.FileMode
	// Parents makes missing parent folders.
	Parents bool
	// Existing accepts a directory that exists; otherwise that is an fs.ErrExist.
	Existing bool
}

// Mkdir makes a directory. Unless the error is a *ChangedError, nothing was changed.
func (f *Files) Mkdir(name string, opts MkdirOptions) (fs.FileInfo, error) {
	c := change{walk{files: f, access: grant.Write, follow: opts.Existing, entry: true, parents: opts.Parents}}
	info, err := c.mkdir(name, opts)
	c.finish(err)
	return info, err
}

func (c *change) mkdir(name string, opts MkdirOptions) (fs.FileInfo, error) {
	s, err := c.find(name)
	if err != nil {
		return nil, fmt.Errorf("make directory %w", addParentsRemedy(err))
	}
	defer s.close()
	c.files.sweep(s)
	made, err := c.makeAt(s, opts.Existing)
	if err != nil {
		return nil, explain("make directory", name, err)
	}
	info, err := c.finishDir(s, opts.Mode)
	if err == nil {
		err = c.syncNames(s)
	}
	if err == nil {
		return info, nil
	}
	if made && s.dir.Remove(s.base) == nil {
		return nil, explain("make directory", name, err)
	}
	return nil, explain("make directory", name, &ChangedError{err})
}

// existingDir is the fs.ErrExist of a directory.
type existingDir struct{}

func (existingDir) Error() string {
	return "the directory already exists, and the spec accepts it and its contents only with overwrite: true"
}

func (existingDir) Is(target error) bool { return target == fs.ErrExist }

// makeAt makes the directory, unless one exists and is accepted.
func (c *change) makeAt(s *spot, existing bool) (made bool, err error) {
	if err := c.files.runHook("make directory"); err != nil {
		return false, err
	}
	err = s.dir.Mkdir(s.base, 0o777)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	old, lookErr := s.dir.Lstat(s.base)
	switch {
	case lookErr != nil:
		return false, lookErr
	case !old.IsDir():
		return false, fmt.Errorf("%s already exists there; delete it first, or choose another path", describe(old.Mode()))
	case !existing:
		return false, existingDir{}
	}
	return false, nil
}

// finishDir sets the mode of the directory on the open directory, not by its name.
func (c *change) finishDir(s *spot, mode *fs.FileMode) (fs.FileInfo, error) {
	info, err := s.dir.Lstat(s.base)
	if err != nil || mode == nil {
		return info, err
	}
	sub, err := s.dir.OpenRoot(s.base)
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	folder, err := sub.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if opened, err := folder.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, errReplaced)
	}
	if err := c.files.runHook("chmod"); err != nil {
		return nil, err
	}
	if err := folder.Chmod(*mode); err != nil {
		return nil, err
	}
	return folder.Stat()
}

// SymlinkOptions are the options of Symlink.
type SymlinkOptions struct {
	// Parents makes missing parent folders.
	Parents bool
	// Overwrite replaces a file or link that exists; otherwise that is an fs.ErrExist.
	Overwrite bool
}

// Symlink makes a symbolic link. The target may be relative to the link's folder, need not
// exist, and must be granted for reading. Unless the error is a *ChangedError, nothing was
// changed.
func (f *Files) Symlink(target, name string, opts SymlinkOptions) error {
	c := change{walk{files: f, access: grant.Write, entry: true, parents: opts.Parents}}
	err := c.symlink(target, name, opts)
	c.finish(err)
	return err
}

func (c *change) symlink(target, name string, opts SymlinkOptions) error {
	abs, err := c.files.absolute(name)
	if err == nil {
		_, err = c.files.findRule(grant.Write, abs, "")
	}
	if err == nil {
		err = c.files.checkTarget(target, abs)
	}
	if err != nil {
		return fmt.Errorf("link %w", err)
	}
	s, err := c.find(name)
	if err != nil {
		return fmt.Errorf("link %w", addParentsRemedy(err))
	}
	defer s.close()
	// Check the target again, relative to the link's real place: the path to it may contain
	// links.
	err = c.files.checkTarget(target, s.path)
	if err == nil {
		err = c.files.checkBases(s.path)
	}
	if err != nil {
		return fmt.Errorf("link %w", err)
	}
	if _, err := checkReplaceableByLink(s, opts.Overwrite); err != nil {
		return explain("link", name, err)
	}
	c.files.sweep(s)
	if err := c.placeLink(s, target, opts.Overwrite); err != nil {
		return explain("link", name, err)
	}
	if err := c.syncNames(s); err != nil {
		return &ChangedError{fmt.Errorf("link %q: the link was created, but may not survive a crash of the system: %w", name, causeOf(err))}
	}
	return nil
}

// checkTarget returns nil if a link at the absolute path may point to the target.
func (f *Files) checkTarget(target, link string) error {
	if target == "" {
		return fmt.Errorf("%q: the target is empty; give the path that the link points to", link)
	}
	at := target
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(link), target)
	}
	at, err := f.absolute(at)
	if err == nil {
		_, err = f.findRule(grant.Read, at, link)
	}
	return err
}

// checkBases returns an error if the base of a grant is at or below the path. Links in the
// path of a base belong to the operator, and are followed. A link of the spec in their place
// would turn a grant for one folder into a grant for another.
func (f *Files) checkBases(link string) error {
	for _, r := range f.rules {
		bases := []string{r.Base}
		if real, err := filepath.EvalSymlinks(r.Base); err == nil {
			bases = append(bases, real)
		}
		for _, base := range bases {
			if rel, ok := grant.RelPath(link, base); ok && (rel != "." || !r.Single) {
				return fmt.Errorf("%q: a link is not allowed there, because the permission %q begins at or below this path", link, r.Pattern)
			}
		}
	}
	return nil
}

// checkReplaceableByLink returns what exists at the spot, or nil, or an error if a link may
// not replace it.
func checkReplaceableByLink(s *spot, overwrite bool) (fs.FileInfo, error) {
	old, err := s.dir.Lstat(s.base)
	if err == nil && old.Mode()&fs.ModeSymlink != 0 && overwrite {
		return old, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return checkReplaceable(s, WriteOptions{Overwrite: overwrite})
}

// placeLink makes the link. If it may replace something, it is made under a temporary name
// and renamed.
func (c *change) placeLink(s *spot, target string, overwrite bool) error {
	if err := c.files.runHook("symlink"); err != nil {
		return err
	}
	if !overwrite {
		return s.dir.Symlink(target, s.base)
	}
	tmp, err := c.files.newTemp(s.dir, s.base, false)
	if err != nil {
		return err
	}
	defer tmp.close()
	defer tmp.discard()
	link := tmp.name + linkSuffix
	if err := s.dir.Symlink(target, link); err != nil {
		return err
	}
	err = c.files.runHook("rename")
	if err == nil {
		err = s.dir.Rename(link, s.base)
	}
	if err != nil {
		s.dir.Remove(link)
	}
	return err
}
