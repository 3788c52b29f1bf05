package journal

import (
	"os"
	"slices"
	"strings"
	"sync"
)

// files are the names in a journal's folder as they were when they were first asked for, with the
// changes that this process has made since.
type files struct {
	mu sync.RWMutex
	// byStem has the names by what they begin with: the resource, or all of a name without settings. It
	// is nil before the folder has been read.
	byStem map[string][]string
}

// stemOf returns what a name begins with.
func stemOf(name string) string {
	stem, _, _ := strings.Cut(strings.TrimSuffix(name, ending), "-")
	return stem
}

// load reads the folder, once.
func (f *files) load(dir string) {
	f.mu.RLock()
	loaded := f.byStem != nil
	f.mu.RUnlock()
	if loaded {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byStem != nil {
		return
	}
	f.byStem = map[string][]string{}
	entries, _ := os.ReadDir(dir) // a missing folder has no files
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ending) {
			f.byStem[stemOf(e.Name())] = append(f.byStem[stemOf(e.Name())], e.Name())
		}
	}
}

// none reports whether there are no files. It spares callers that look at every resource the hashes.
func (f *files) none(dir string) bool {
	f.load(dir)
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.byStem) == 0
}

// read returns the names that begin with a stem.
func (f *files) read(dir, stem string) []string {
	f.load(dir)
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.byStem[stem]
}

// has reports whether a file exists.
func (f *files) has(dir, name string) bool { return slices.Contains(f.read(dir, stemOf(name)), name) }

// of returns the name of a subject's file: the former one if that exists.
func (f *files) of(dir string, s Subject) string {
	if s.State == "" && !f.none(dir) {
		if former := s.formerFile(); f.has(dir, former) {
			return former
		}
	}
	return s.file()
}

// others returns the names of the files of a subject's resource under other settings.
func (f *files) others(dir string, s Subject) []string {
	if f.none(dir) {
		return nil
	}
	own := s.file()
	return slices.DeleteFunc(slices.Clone(f.read(dir, s.stem())), func(name string) bool { return name == own })
}

// set records whether a file exists.
func (f *files) set(name string, exists bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byStem == nil {
		return
	}
	stem := stemOf(name)
	names := slices.DeleteFunc(slices.Clone(f.byStem[stem]), func(n string) bool { return n == name })
	if exists {
		names = append(names, name)
	}
	if f.byStem[stem] = names; len(names) == 0 {
		delete(f.byStem, stem)
	}
}
