package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/declprov/declprov/actions/grant"
)

// maxLinks is the maximum number of symbolic links in a path, as on Linux.
const maxLinks = 40

// spot is a name in an open folder. An operation on it works in that folder, even if the
// path to the folder changes.
type spot struct {
	dir *os.Root
	// base is a name in dir, or "." for dir itself.
	base string
	// path is the absolute path of the spot, with all links resolved.
	path string
	// kept is the kept folder that dir belongs to, or nil if dir belongs to the spot alone.
	kept *keptFolder
	// info is what the walk found at base; missing is the error if nothing was there. Both
	// are nil if the walk did not look.
	info    fs.FileInfo
	missing error
	// opened is dir as a file, or nil; see folder.
	opened *os.File
}

// folder returns dir as a file that can be synced. It is opened at most once.
func (s *spot) folder() (*os.File, error) {
	if s.kept != nil {
		return s.kept.file()
	}
	return s.listing()
}

// listing returns dir as a file that can be listed. The spot shares it with no other call.
func (s *spot) listing() (*os.File, error) {
	if s.opened != nil {
		return s.opened, nil
	}
	folder, err := openFolder(s.dir)
	if err != nil {
		return nil, err
	}
	s.opened = folder
	return folder, nil
}

// openFolder opens a folder as a file. O_NONBLOCK saves package os the system calls by which
// it would try that itself.
func openFolder(dir *os.Root) (*os.File, error) {
	folder, err := dir.OpenFile(".", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", causeOf(err))
	}
	return folder, nil
}

func (s *spot) close() {
	if s.opened != nil {
		s.opened.Close()
	}
	s.releaseDir()
}

// releaseDir closes dir, or releases it if it is kept open for other calls.
func (s *spot) releaseDir() {
	if s.kept != nil {
		s.kept.release()
		s.kept = nil
		return
	}
	s.dir.Close()
}

// look returns the file info of what the spot names, from the walk if it looked already.
func (s *spot) look() (fs.FileInfo, error) {
	if s.info != nil || s.missing != nil {
		return s.info, s.missing
	}
	return s.dir.Lstat(s.base)
}

// walk finds the spot that a path names.
type walk struct {
	files  *Files
	access grant.Access
	// follow says that a symbolic link at the end of the path is followed.
	follow bool
	// entry says that the path is used as a name in its folder (to remove it, or to put
	// something there), not as a folder itself.
	entry bool
	// parents says that missing parent folders are made.
	parents bool
	// made are the parent folders that were made.
	made []madeDir
}

// madeDir is a parent folder that was made during a walk.
type madeDir struct {
	parent *os.Root
	name   string
}

// find walks to the path. The caller closes the spot, and calls keep or undo for the folders
// that were made, also after an error.
func (w *walk) find(name string) (*spot, error) {
	abs, err := w.files.absolute(name)
	if err != nil {
		return nil, err
	}
	via, again := "", 3
	for range maxLinks {
		r, err := w.files.findRule(w.access, abs, via)
		if err != nil {
			return nil, err
		}
		s, next, err := w.findFrom(r, abs)
		if w.parents && errors.Is(err, fs.ErrNotExist) && again > 0 {
			again-- // another call removed folders that it had made
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, causeOf(err))
		}
		if s != nil {
			return s, nil
		}
		if via == "" {
			via = name
		}
		abs = next
	}
	return nil, fmt.Errorf("%q: more than %d symbolic links; they may form a cycle", name, maxLinks)
}

// findFrom walks from the rule's base to the spot. If it meets a symbolic link, it returns
// the path that the link leads to as next instead.
func (w *walk) findFrom(r grant.PathRule, abs string) (s *spot, next string, err error) {
	base := r.Base
	rel, _ := grant.RelPath(base, abs)
	if rel == "." && (w.entry || r.Single) && filepath.Dir(base) != base {
		base, rel = filepath.Dir(base), filepath.Base(base)
	}
	root := r.Root
	if len(root) > len(base) { // the folder of a single file, or of an entry
		root = base
	}
	kept, err := w.openBase(root, base)
	if err != nil {
		return nil, "", err
	}
	s = &spot{dir: kept.root, kept: kept}
	at, names := base, strings.Split(rel, string(filepath.Separator))
	for len(names) > 1 {
		sub, target, err := w.enter(s.dir, names[0])
		s.releaseDir()
		if err != nil || target != "" {
			return nil, resolveLink(at, target, names[1:]), err
		}
		s.dir, at, names = sub, filepath.Join(at, names[0]), names[1:]
	}
	s.base, s.path = names[0], filepath.Join(at, names[0])
	if w.follow {
		target, err := s.linkTarget()
		if err != nil || target != "" {
			s.releaseDir()
			return nil, resolveLink(at, target, nil), err
		}
	}
	return s, "", nil
}

// resolveLink returns the path that a link in the folder at leads to, followed by the rest
// of the names. It is cleaned lexically: `..` in a target removes the name before it.
func resolveLink(at, target string, rest []string) string {
	path := target
	if !filepath.IsAbs(target) {
		path = filepath.Join(at, target)
	}
	return filepath.Join(append([]string{path}, rest...)...)
}

// linkTarget returns the target of the symbolic link at the spot, or "" if there is no link.
func (s *spot) linkTarget() (string, error) {
	info, err := s.dir.Lstat(s.base)
	if errors.Is(err, fs.ErrNotExist) {
		s.missing = err
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		s.info = info
		return "", nil
	}
	return s.dir.Readlink(s.base)
}

// enter opens a folder in a folder, or returns the target if the name is a link. It compares
// the folder that it opened with the one it had looked at, so that it does not follow a link
// that was put in its place in between.
func (w *walk) enter(dir *os.Root, name string) (sub *os.Root, target string, err error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && w.parents {
		if err := w.makeFolder(dir, name); err != nil {
			return nil, "", err
		}
		info, err = dir.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, "", err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err = dir.Readlink(name)
		return nil, target, err
	case !info.IsDir():
		return nil, "", &notFolder{name}
	}
	sub, err = dir.OpenRoot(name)
	if err != nil {
		return nil, "", err
	}
	opened, err := sub.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = errReplaced
	}
	if err != nil {
		sub.Close()
		return nil, "", err
	}
	return sub, "", nil
}

// errReplaced says that something changed between a look and the operation after it.
var errReplaced = errors.New("it was replaced by something else while it was opened; run it again")

// notFolder reports a path that leads through something that is not a folder. The path does
// not exist.
type notFolder struct{ name string }

func (e *notFolder) Error() string        { return fmt.Sprintf("%q in the path is not a folder", e.name) }
func (e *notFolder) Is(target error) bool { return target == fs.ErrNotExist }

// makeFolder makes a missing parent folder, and remembers it for keep and undo.
func (w *walk) makeFolder(dir *os.Root, name string) error {
	if err := w.files.runHook("make parent"); err != nil {
		return err
	}
	err := dir.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make folder %q: %w", name, causeOf(err))
	}
	parent, err := dir.OpenRoot(".")
	if err != nil {
		return err
	}
	w.made = append(w.made, madeDir{parent, name})
	folder, err := dir.Open(".")
	if err != nil {
		return fmt.Errorf("open the folder: %w", causeOf(err))
	}
	defer folder.Close()
	return syncDir(folder)
}

// openBase opens the base folder of a grant. Links in the path of root are followed, since the
// operator named it: see grant.PathRule. If the walk makes parent folders, it makes the base too.
func (w *walk) openBase(root, base string) (*keptFolder, error) {
	folder, err := w.files.folders.open(root, base)
	if err == nil || !w.parents || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(base) == base {
		return folder, err
	}
	parent := filepath.Dir(base)
	above, err := w.openBase(root[:min(len(root), len(parent))], parent)
	if err != nil {
		return nil, err
	}
	defer above.release()
	if err := w.makeFolder(above.root, filepath.Base(base)); err != nil {
		return nil, err
	}
	return w.files.folders.open(root, base)
}

// keep keeps the folders that were made.
func (w *walk) keep() {
	for _, m := range w.made {
		m.parent.Close()
	}
	w.made = nil
}

// undo removes the folders that were made, unless they are no longer empty.
func (w *walk) undo() {
	for i := len(w.made) - 1; i >= 0; i-- {
		w.made[i].parent.Remove(w.made[i].name)
		w.made[i].parent.Close()
	}
	w.made = nil
}
