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

// maxLinks is how many symbolic links one path may lead through, as on Linux.
const maxLinks = 40

// spot is a place in a folder that is held open: what is done there is done in
// that folder, whatever becomes of the way to it.
type spot struct {
	dir *os.Root
	// base is a name in dir, or "." for dir itself.
	base string
	// path is the place's own absolute path, behind all links.
	path string
	// kept is what dir is of, where it is held open for other calls too.
	kept *keptFolder
	// info is what the walk saw of base itself, missing the error where nothing
	// was there; both are nil where it did not look.
	info    fs.FileInfo
	missing error
	// opened is dir as a file, or nil; see folder.
	opened *os.File
}

// folder is dir as a file that can be synced. It is opened once, for whatever is
// done at the spot.
func (s *spot) folder() (*os.File, error) {
	if s.kept != nil {
		return s.kept.file()
	}
	return s.listing()
}

// listing is dir as a file that can be listed: the spot's own.
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

// openFolder opens a folder as a file; nonblocking, as package os tries each file
// so first, and undoes it.
func openFolder(dir *os.Root) (*os.File, error) {
	folder, err := dir.OpenFile(".", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", because(err))
	}
	return folder, nil
}

func (s *spot) close() {
	if s.opened != nil {
		s.opened.Close()
	}
	s.leave()
}

// leave closes dir, or leaves it to the other calls.
func (s *spot) leave() {
	if s.kept != nil {
		s.kept.release()
		s.kept = nil
		return
	}
	s.dir.Close()
}

// look looks at what the spot names, unless the walk did.
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
	// entry says that the path is used as a name in its folder (to remove it,
	// to put something there), not as the folder it may be.
	entry bool
	// parents says that missing folders on the way are made.
	parents bool
	// made are those that were.
	made []madeDir
}

// madeDir is a folder that was made on the way.
type madeDir struct {
	parent *os.Root
	name   string
}

// to walks to the path. The caller closes the spot, and calls keep or undo for
// the folders that were made, also after an error.
func (w *walk) to(name string) (*spot, error) {
	abs, err := w.files.absolute(name)
	if err != nil {
		return nil, err
	}
	via, again := "", 3
	for range maxLinks {
		r, err := w.files.granted(w.access, abs, via)
		if err != nil {
			return nil, err
		}
		s, next, err := w.below(r, abs)
		if w.parents && errors.Is(err, fs.ErrNotExist) && again > 0 {
			again-- // another call takes back folders that it made
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, because(err))
		}
		if s != nil {
			return s, nil
		}
		if via == "" {
			via = name
		}
		abs = next
	}
	return nil, fmt.Errorf("%q: more than %d symbolic links; they may lead in a circle", name, maxLinks)
}

// below walks from the rule's base on: to the spot, or to a symbolic link, the
// path behind which is then next.
func (w *walk) below(r grant.PathRule, abs string) (s *spot, next string, err error) {
	base := r.Base
	rel, _ := grant.Below(base, abs)
	if rel == "." && (w.entry || r.Single) && filepath.Dir(base) != base {
		base, rel = filepath.Dir(base), filepath.Base(base)
	}
	kept, err := w.openBase(base)
	if err != nil {
		return nil, "", err
	}
	s = &spot{dir: kept.root, kept: kept}
	at, names := base, strings.Split(rel, string(filepath.Separator))
	for len(names) > 1 {
		sub, target, err := w.enter(s.dir, names[0])
		s.leave()
		if err != nil || target != "" {
			return nil, behind(at, target, names[1:]), err
		}
		s.dir, at, names = sub, filepath.Join(at, names[0]), names[1:]
	}
	s.base, s.path = names[0], filepath.Join(at, names[0])
	if w.follow {
		target, err := s.linkTarget()
		if err != nil || target != "" {
			s.leave()
			return nil, behind(at, target, nil), err
		}
	}
	return s, "", nil
}

// behind is the path that a link in the folder at leads to. It is cleaned
// lexically: `..` in a target undoes the name before it.
func behind(at, target string, rest []string) string {
	path := target
	if !filepath.IsAbs(target) {
		path = filepath.Join(at, target)
	}
	return filepath.Join(append([]string{path}, rest...)...)
}

// linkTarget is where the symbolic link at the spot points, or "" where it is
// none, or nothing is there.
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

// enter opens a folder in a folder, or tells where the link of that name
// points. What is opened is compared with what was looked at, so that a link
// that takes its place in between is not followed.
func (w *walk) enter(dir *os.Root, name string) (sub *os.Root, target string, err error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && w.parents {
		if err := w.make(dir, name); err != nil {
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

// errReplaced says that somebody else changes what is worked on.
var errReplaced = errors.New("something else took its place while it was opened; run it again")

// notFolder is the error of a path that leads through a file. What is beyond
// it does not exist.
type notFolder struct{ name string }

func (e *notFolder) Error() string        { return fmt.Sprintf("%q on the way is not a folder", e.name) }
func (e *notFolder) Is(target error) bool { return target == fs.ErrNotExist }

func (w *walk) make(dir *os.Root, name string) error {
	if err := w.files.at("make parent"); err != nil {
		return err
	}
	err := dir.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make folder %q: %w", name, because(err))
	}
	parent, err := dir.OpenRoot(".")
	if err != nil {
		return err
	}
	w.made = append(w.made, madeDir{parent, name})
	folder, err := dir.Open(".")
	if err != nil {
		return fmt.Errorf("open the folder: %w", because(err))
	}
	defer folder.Close()
	return syncDir(folder)
}

// openBase opens the folder that a grant is about. It is the operator's to
// name, so links in it are followed; where folders are to be made, it is made.
func (w *walk) openBase(base string) (*keptFolder, error) {
	folder, err := w.files.folders.open(base)
	if err == nil || !w.parents || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(base) == base {
		return folder, err
	}
	above, err := w.openBase(filepath.Dir(base))
	if err != nil {
		return nil, err
	}
	defer above.release()
	if err := w.make(above.root, filepath.Base(base)); err != nil {
		return nil, err
	}
	return w.files.folders.open(base)
}

// keep lets the made folders stand.
func (w *walk) keep() {
	for _, m := range w.made {
		m.parent.Close()
	}
	w.made = nil
}

// undo takes the made folders back, as far as nobody put anything there.
func (w *walk) undo() {
	for i := len(w.made) - 1; i >= 0; i-- {
		w.made[i].parent.Remove(w.made[i].name)
		w.made[i].parent.Close()
	}
	w.made = nil
}
