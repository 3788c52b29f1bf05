package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"
)

// temporary matches the names of our temporary files, and of the temporary
// symbolic links beside them.
var temporary = regexp.MustCompile(`^\..*\.declprov-[A-Z2-7]{16}(` + regexp.QuoteMeta(linkSuffix) + `)?$`)

func isTemporary(name string) bool {
	return name[0] == '.' && temporary.MatchString(name) // few names begin so
}

// linkSuffix ends the name of a temporary symbolic link. A link cannot be
// locked, so a temporary file of the same name is held for it.
const linkSuffix = ".link"

// temp is a temporary file. Its writer holds a lock on it for as long as it
// lives: one that can be locked is a leftover of a process that was killed.
type temp struct {
	dir  *os.Root
	name string
	file *os.File
	// made is the file as it was made, where it was looked at; nil else.
	made fs.FileInfo
}

// newTemp makes a temporary sibling of a name. A public one has the mode that
// any new file gets; else only the owner may open it until it is finished.
func (f *Files) newTemp(dir *os.Root, base string, public bool) (*temp, error) {
	if err := f.at("create temporary"); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o600)
	if public {
		mode = 0o666
	}
	for range 100 {
		name := "." + shorten(base, 64) + ".declprov-" + rand.Text()[:16]
		file, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NONBLOCK, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t := &temp{dir: dir, name: name, file: file}
		if t.hold() {
			return t, nil
		}
		// A sweep came between making and locking it, and took it for a
		// leftover.
		t.discard()
		t.close()
	}
	return nil, errors.New("no temporary file could be kept; something removes them as they are made")
}

// hold locks the file, and reports whether it still has its name. A file system
// that has no locks has no sweeps either.
func (t *temp) hold() bool {
	held, err := lockFile(t.file)
	if err != nil {
		return true
	}
	if !held {
		return false
	}
	opened, err := t.file.Stat()
	if err != nil {
		return false
	}
	named, err := t.dir.Lstat(t.name)
	t.made = opened
	return err == nil && os.SameFile(opened, named)
}

func (t *temp) close() { t.file.Close() }

// discard removes the file, as far as it still has its temporary name.
func (t *temp) discard() { t.dir.Remove(t.name) }

// shorten cuts a name to so many bytes, at a character: a name may be as long
// as a file system takes, and ours is longer.
func shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	for limit > 0 && !utf8.RuneStart(name[limit]) {
		limit--
	}
	return name[:limit]
}

// sweeps remembers when a folder is due to be searched for leftovers.
type sweeps struct {
	mu  sync.Mutex
	due map[string]int
}

// sweepRatio is how many names a sweep may read per change in the folder, on
// average, so that large folders cost no more than small ones: a name costs a
// hundredth of what a write does.
const sweepRatio = 8

// sweepBatch is how many names a sweep holds in memory.
const sweepBatch = 512

// isDue counts a change in the folder, and reports whether to sweep it now.
// Until that is done, it is not due for others.
func (s *sweeps) isDue(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.due[path] > 0 {
		s.due[path]--
		return false
	}
	if s.due == nil {
		s.due = map[string]int{}
	}
	s.due[path] = math.MaxInt
	return true
}

func (s *sweeps) done(path string, names int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if wait := names / sweepRatio; wait > 0 {
		s.due[path] = wait
	} else {
		delete(s.due, path)
	}
}

// sweep removes what a process that was killed left in the folder. It is a
// courtesy: what cannot be removed stays.
func (f *Files) sweep(s *spot) {
	path := s.path[:len(s.path)-len(s.base)]
	if !f.sweeps.isDue(path) {
		return
	}
	read := 0
	defer func() { f.sweeps.done(path, read) }()
	folder, err := s.listing()
	if err != nil {
		return
	}
	var stale []string // removed after reading, which removing could confuse
	for err == nil {
		var names []string
		names, err = folder.Readdirnames(sweepBatch)
		read += len(names)
		for _, name := range names {
			if isTemporary(name) {
				stale = append(stale, strings.TrimSuffix(name, linkSuffix))
			}
		}
	}
	for _, name := range stale {
		removeStale(s.dir, name)
	}
}

// removeStale removes a temporary file, and the link beside it, unless its
// writer lives. The link goes first: as long as there is one, so is the file
// that says whose it is.
func removeStale(dir *os.Root, name string) {
	file, _, err := openRegular(dir, name, nil)
	if err != nil {
		return
	}
	defer file.Close()
	if held, err := lockFile(file); err != nil || !held {
		return
	}
	if info, err := dir.Lstat(name + linkSuffix); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if dir.Remove(name+linkSuffix) != nil {
			return
		}
	}
	dir.Remove(name)
}

// syncDir brings the names in a folder to the disk. Where a system or a file
// system cannot, it does what it does by itself.
func syncDir(folder *os.File) error {
	if err := folder.Sync(); err != nil && !cannotSync(err) {
		return err
	}
	return nil
}
