package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/grant"
)

// setRoots finds the rules whose base a spec may replace by a link, because another rule lets it write
// there, by whatever path: below its Root, links in the base of such a rule are not followed.
func setRoots(rules []grant.PathRule) {
	for i := range rules {
		r := &rules[i]
		for at := r.Base; at != filepath.Dir(at); at = filepath.Dir(at) {
			if isWritable(rules, at) {
				r.Root = filepath.Dir(at)
			}
		}
	}
}

// isWritable reports whether a rule lets a spec write at a path. Links are followed to compare places
// instead of spellings.
func isWritable(rules []grant.PathRule, path string) bool {
	place := filepath.Join(realPath(filepath.Dir(path)), filepath.Base(path))
	return slices.ContainsFunc(rules, func(other grant.PathRule) bool {
		if other.Access != grant.Write || other.Single {
			return false
		}
		rel, ok := grant.RelPath(realPath(other.Base), place)
		return ok && rel != "." && other.Glob.Match(filepath.ToSlash(rel))
	})
}

// realPath returns a path without links, or as it is if it does not exist.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// LinkError reports a link in the base of a grant, in a folder in which the spec may write.
type LinkError struct {
	// Path is the path of the link.
	Path string
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a symbolic link in a folder in which the spec may write, so it is not followed: grant the folder that it leads to", e.Path)
}

// Is reports that the error is about a permission.
func (e *LinkError) Is(target error) bool { return target == fs.ErrPermission }

// OpenBase opens the base of a rule. Links between its root and the base are a *LinkError.
func OpenBase(root, base string) (*os.Root, error) {
	rel, err := filepath.Rel(root, base)
	if err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(root)
	if err != nil || rel == "." {
		return folder, err
	}
	at := root
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		next, err := openWithin(folder, name)
		folder.Close()
		if errors.Is(err, errLink) {
			err = &LinkError{at}
		}
		if err != nil {
			return nil, err
		}
		folder = next
	}
	return folder, nil
}

var errLink = errors.New("a link")

// openWithin opens a folder in a folder, unless it is a link, also if it becomes one meanwhile.
func openWithin(folder *os.Root, name string) (*os.Root, error) {
	before, err := folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	if before.Mode()&fs.ModeSymlink != 0 {
		return nil, errLink
	}
	next, err := folder.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(before, now) {
		next.Close()
		return nil, errors.Join(err, errLink)
	}
	return next, nil
}

// statBase returns what is at the base of a rule. A link between its root and the base is a *LinkError.
func statBase(root, base string) (os.FileInfo, error) {
	if root == base {
		return os.Stat(base)
	}
	rel, err := filepath.Rel(root, base)
	if err != nil {
		return nil, err
	}
	var info os.FileInfo
	at := root
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		if info, err = os.Lstat(at); err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, &LinkError{at}
		}
	}
	return info, nil
}
