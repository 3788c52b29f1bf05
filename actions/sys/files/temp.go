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

// temporary matches the names of our temporary files and temporary symbolic links.
var temporary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\..*\.declprov-[A-Z2-7]{16}(` + regexp.QuoteMeta(linkSuffix) + `)?$`)
})

func isTemporary(name string) bool {
	return name[0] == '.' && temporary().MatchString(name) // the first test is cheap
}

// linkSuffix ends the name of a temporary symbolic link. A link cannot be locked, so a
// temporary file with the same name but this suffix is locked for it.
const linkSuffix = ".link"

// temp is a temporary file. Its writer locks it as long as it lives. So a temporary file that
// can be locked is stale: its process was killed.
type temp struct {
	dir  *os.Root
	name string
	file *os.File
	// made is the file info just after the file was made, or nil if it is not known.
	made fs.FileInfo
}

// newTemp makes a temporary file in the folder of a name. A public file has the default mode
// of new files; otherwise only the owner may open it until it is finished.
func (f *Files) newTemp(dir *os.Root, base string, public bool) (*temp, error) {
	if err := f.runHook("create temporary"); err != nil {
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
		// A sweep removed it as stale before it was locked.
		t.discard()
		t.close()
	}
	return nil, errors.New("cannot create a temporary file: something removes each one at once")
}

// hold locks the file, and reports whether it still has its name. Without locks in the file
// system nothing is swept there, so hold succeeds.
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

// discard removes the file if it still has its temporary name.
func (t *temp) discard() { t.dir.Remove(t.name) }

// shorten cuts a name to a number of bytes, at a character boundary. The name may have the
// maximum length of the file system, and ours adds to it.
func shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	for limit > 0 && !utf8.RuneStart(name[limit]) {
		limit--
	}
	return name[:limit]
}

// sweeps counts, for each folder, the changes until it is searched for stale temporary files.
type sweeps struct {
	mu  sync.Mutex
	due map[string]int
}

// sweepRatio is how many names a sweep may read per change in the folder, on average, so
// that a change in a large folder costs no more than in a small one. Reading a name costs a
// hundredth of a write.
const sweepRatio = 8

// sweepBatch is how many names a sweep reads at once.
const sweepBatch = 512

// isDue counts a change in the folder, and reports whether to sweep it now. Until that sweep
// calls done, isDue is false for other calls.
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

// sweep removes the temporary files that killed processes left in the folder. It ignores
// errors.
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
	var stale []string // removed after reading, since a removal could disturb the reading
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

// removeStale removes a temporary file and its temporary link, unless the writer lives. It
// removes the link first, so that no link is left without the file that locks it.
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

// syncDir writes the names in a folder to the disk. It does nothing if the file system does
// not support that.
func syncDir(folder *os.File) error {
	if err := folder.Sync(); err != nil && !cannotSync(err) {
		return err
	}
	return nil
}
