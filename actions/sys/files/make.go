package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/declprov/declprov/actions/grant"
)

// MkdirOptions are how a directory is made.
type MkdirOptions struct {
	// Mode is exact, whatever the umask; nil is 0777 less the umask, and keeps
	// the mode of a directory that exists.
	Mode *fs.FileMode
	// Parents makes missing folders on the way.
	Parents bool
	// Existing accepts a directory that exists; without it that is an error of
	// kind fs.ErrExist.
	Existing bool
}

// Mkdir makes a directory. An error that is no *ChangedError left everything as
// it was.
func (f *Files) Mkdir(name string, opts MkdirOptions) (fs.FileInfo, error) {
	c := change{walk{files: f, access: grant.Write, follow: opts.Existing, entry: true, parents: opts.Parents}}
	info, err := c.mkdir(name, opts)
	c.end(err)
	return info, err
}

func (c *change) mkdir(name string, opts MkdirOptions) (fs.FileInfo, error) {
	s, err := c.to(name)
	if err != nil {
		return nil, fmt.Errorf("make directory %w", missingParent(err))
	}
	defer s.close()
	c.files.sweep(s)
	made, err := c.makeAt(s, opts.Existing)
	if err != nil {
		return nil, explain("make directory", name, err)
	}
	info, err := c.finishDir(s, opts.Mode)
	if err == nil {
		err = c.settle(s)
	}
	if err == nil {
		return info, nil
	}
	if made && s.dir.Remove(s.base) == nil {
		return nil, explain("make directory", name, err)
	}
	return nil, explain("make directory", name, &ChangedError{err})
}

// makeAt makes the directory, unless there is one and that will do.
func (c *change) makeAt(s *spot, existing bool) (made bool, err error) {
	if err := c.files.at("make directory"); err != nil {
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
		return false, fmt.Errorf("it is %s already; delete it first, or choose another path", describe(old.Mode()))
	case !existing:
		return false, errors.New("the directory exists already; set overwrite: true to accept it, with what is in it")
	}
	return false, nil
}

// finishDir gives the directory its mode, by what it is and not by its name.
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
	if err := c.files.at("chmod"); err != nil {
		return nil, err
	}
	if err := folder.Chmod(*mode); err != nil {
		return nil, err
	}
	return folder.Stat()
}

// SymlinkOptions are how a symbolic link is made.
type SymlinkOptions struct {
	// Parents makes missing folders on the way.
	Parents bool
	// Overwrite replaces a file or link that exists; without it that is an
	// error of kind fs.ErrExist.
	Overwrite bool
}

// Symlink makes a symbolic link to a target that may be relative to the link's
// folder, need not exist, and must be granted for reading. An error that is no
// *ChangedError left everything as it was.
func (f *Files) Symlink(target, name string, opts SymlinkOptions) error {
	c := change{walk{files: f, access: grant.Write, entry: true, parents: opts.Parents}}
	err := c.symlink(target, name, opts)
	c.end(err)
	return err
}

func (c *change) symlink(target, name string, opts SymlinkOptions) error {
	abs, err := c.files.absolute(name)
	if err == nil {
		_, err = c.files.granted(grant.Write, abs, "")
	}
	if err == nil {
		err = c.files.checkTarget(target, abs)
	}
	if err != nil {
		return fmt.Errorf("link %w", err)
	}
	s, err := c.to(name)
	if err != nil {
		return fmt.Errorf("link %w", missingParent(err))
	}
	defer s.close()
	// Once more, from where the link is to stand: behind the links on its way.
	err = c.files.checkTarget(target, s.path)
	if err == nil {
		err = c.files.checkBases(s.path)
	}
	if err != nil {
		return fmt.Errorf("link %w", err)
	}
	if _, err := replaceableByLink(s, opts.Overwrite); err != nil {
		return explain("link", name, err)
	}
	c.files.sweep(s)
	if err := c.placeLink(s, target, opts.Overwrite); err != nil {
		return explain("link", name, err)
	}
	if err := c.settle(s); err != nil {
		return &ChangedError{fmt.Errorf("link %q: it is made, but the system cannot promise that it outlasts a crash: %w", name, because(err))}
	}
	return nil
}

// checkTarget is nil where a link at the absolute path may point there.
func (f *Files) checkTarget(target, link string) error {
	if target == "" {
		return fmt.Errorf("%q: the target is empty; name what it points to", link)
	}
	at := target
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(link), target)
	}
	at, err := f.absolute(at)
	if err == nil {
		_, err = f.granted(grant.Read, at, link)
	}
	return err
}

// checkBases is nil where no grant starts at or below a path. The links on the
// way to a grant's base are the operator's, and are followed: one that a spec
// could put there would turn a grant for one folder into one for another.
func (f *Files) checkBases(link string) error {
	for _, r := range f.rules {
		bases := []string{r.Base}
		if real, err := filepath.EvalSymlinks(r.Base); err == nil {
			bases = append(bases, real)
		}
		for _, base := range bases {
			if rel, ok := grant.Below(link, base); ok && (rel != "." || !r.Single) {
				return fmt.Errorf("%q: no link may stand there, since the permission %q starts at or below it", link, r.Pattern)
			}
		}
	}
	return nil
}

// replaceableByLink is what stands at the spot, or an error if a link may not
// take its place.
func replaceableByLink(s *spot, overwrite bool) (fs.FileInfo, error) {
	old, err := s.dir.Lstat(s.base)
	if err == nil && old.Mode()&fs.ModeSymlink != 0 && overwrite {
		return old, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return replaceable(s, WriteOptions{Overwrite: overwrite})
}

// placeLink makes the link, under a temporary name first where it may replace
// something.
func (c *change) placeLink(s *spot, target string, overwrite bool) error {
	if err := c.files.at("symlink"); err != nil {
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
	err = c.files.at("rename")
	if err == nil {
		err = s.dir.Rename(link, s.base)
	}
	if err != nil {
		s.dir.Remove(link)
	}
	return err
}
