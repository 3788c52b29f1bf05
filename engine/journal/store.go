package journal

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/declprov/declprov/spec/stable"
)

// Journal is a folder of intents, with one file per subject. Several goroutines,
// processes and machines may use the folder concurrently.
//
// A Journal that has begun or claimed intents holds a lock, by which other processes
// see that its process is alive. Keep it open while working on the intents.
type Journal struct {
	dir string
	// mu serializes the changes of this Journal. The lock of the folder serializes those
	// of all processes.
	mu    sync.Mutex
	owner owner
	// ongoing are the subjects of intents that were put as Ongoing: see Resource.Conclude.
	ongoing sync.Map
	// files tells which files there are, without a look at the folder each time.
	files files
	// parsed is what files contained when they were last read or changed.
	parsed parseCache
}

// Open returns the journal in a folder, which the first Begin creates.
func Open(dir string) *Journal {
	return &Journal{dir: dir, owner: owner{dir: filepath.Join(dir, ownersFolder)}}
}

// Close releases the Journal's lock. Other processes then regard its unfinished intents
// as interrupted, and may claim them.
func (j *Journal) Close() error { return j.owner.release() }

// Has reports whether the journal may contain intents of a subject. It knows the
// files that existed when it was first called, and what this Journal has written and
// removed since. It is for callers that look at every resource and rarely find an
// intent. Of and Begin also see intents that other processes have begun since.
func (j *Journal) Has(s Subject) bool {
	return !j.files.none(j.dir) && j.files.has(j.dir, j.files.of(j.dir, s))
}

// path returns the path of a subject's file.
func (j *Journal) path(s Subject) string { return filepath.Join(j.dir, j.files.of(j.dir, s)) }

// Others returns the intents of a subject's resource under other settings, the oldest first: a setting
// has another value now, or the spec another setting.
func (j *Journal) Others(s Subject) ([]Intent, error) {
	var all []Intent
	for _, name := range j.files.others(j.dir, s) {
		c, err := j.read(filepath.Join(j.dir, name))
		if err != nil {
			return nil, remedy(err)
		}
		all = append(all, c.intents...)
	}
	j.examine(all, map[Process]bool{})
	sortByBegan(all)
	return all, nil
}

// sortByBegan sorts intents by when they began, the oldest first.
func sortByBegan(list []Intent) {
	stable.Sort(list, func(a, b Intent) int { return a.Began.Compare(b.Began) })
}

// BusyError reports that another living process works on an intent.
type BusyError struct{ Intent Intent }

func (e *BusyError) Error() string {
	verb := "creating"
	switch e.Intent.Operation {
	case Update:
		verb = "updating"
	case Delete:
		verb = "deleting"
	}
	return fmt.Sprintf("%s is %s this %s now; wait for it, or stop it", e.Intent.Owner, verb, e.Intent.Type)
}

// errChanged reports that another process has claimed or settled an intent since it
// was read. Callers must read the intents of the subject again.
var errChanged = errors.New("another process has changed the intent in the journal")

// Of returns the intents of a subject, the oldest first.
func (j *Journal) Of(s Subject) ([]Intent, error) {
	c, err := j.read(j.path(s))
	if err != nil {
		return nil, remedy(err)
	}
	j.examine(c.intents, map[Process]bool{})
	return c.intents, nil
}

// read reads a file. A missing file has no intents.
func (j *Journal) read(path string) (content, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err != nil {
		return content{}, err
	}
	c, err := j.parsed.parse(path, text)
	if err != nil {
		return content{}, &UnreadableError{Files: []UnreadableFile{{Path: path, Reason: err.Error()}}}
	}
	return c, nil
}

// examine sets which intents a living process works on. The run that goes on after an unknown outcome sees that
// intent as open, but not one that was answered.
func (j *Journal) examine(intents []Intent, known map[Process]bool) {
	for n := range intents {
		i := &intents[n]
		if !i.isHeld() {
			continue
		}
		live, ok := known[i.Owner]
		if !ok {
			live = j.owner.alive(i.Owner)
			known[i.Owner] = live
		}
		i.live = live && !(i.Status == Unknown && j.owner.is(i.Owner))
	}
}

// Begin records an intent, and sets its Key, Status, Owner and Began. If sync is
// true, the intent survives a loss of power once Begin has returned. It returns a
// *BusyError if another living process has begun the same step.
func (j *Journal) Begin(i Intent, sync bool) (Intent, error) {
	if err := j.prepare(); err != nil {
		return Intent{}, remedy(err)
	}
	i.Key, i.Status, i.Began, i.live = rand.Text(), Begun, time.Now().UTC().Round(0), true
	var err error
	if i.Owner, err = j.owner.hold(i.Key); err != nil {
		return Intent{}, remedy(err)
	}
	err = j.change(i.Subject, sync, func(before []Intent) ([]record, error) {
		for _, other := range before {
			if other.sameEffect(i) && other.UnderWay() && other.Owner != i.Owner {
				return nil, &BusyError{Intent: other}
			}
		}
		return []record{{Put: &i}}, nil
	})
	if err != nil {
		// The intent may have been written although syncing failed. Nothing was sent.
		err = errors.Join(err, j.Settle(i.Subject, func(other Intent) bool { return other.Key == i.Key }))
		j.owner.unhold(i.Key)
		return Intent{}, remedy(err)
	}
	return i, nil
}

// Claim takes over an intent that Of, Begin or List returned, under the same key. Its
// status becomes Begun. It returns a *BusyError if another living process works on
// the intent, and errChanged if the intent has changed.
func (j *Journal) Claim(i Intent) (Intent, error) {
	if err := j.prepare(); err != nil {
		return Intent{}, remedy(err)
	}
	claimed := i
	var err error
	if claimed.Owner, err = j.owner.hold(i.Key); err != nil {
		return Intent{}, remedy(err)
	}
	claimed.Status, claimed.Ongoing, claimed.live = Begun, false, true
	err = j.change(i.Subject, false, func(before []Intent) ([]record, error) {
		n := slices.IndexFunc(before, func(b Intent) bool { return b.Key == i.Key })
		switch {
		case n < 0:
			return nil, errChanged
		case before[n].UnderWay() && before[n].Owner != claimed.Owner:
			return nil, &BusyError{Intent: before[n]}
		case !equal(before[n], i):
			return nil, errChanged
		}
		return []record{{Put: &claimed}}, nil
	})
	if err != nil {
		j.owner.unhold(i.Key)
		return Intent{}, remedy(err)
	}
	return claimed, nil
}

// equal reports whether two intents are recorded as the same text.
func equal(a, b Intent) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Put replaces the intent with the same key. Without sync, a loss of power may
// restore the previous version.
func (j *Journal) Put(i Intent, sync bool) error {
	if err := j.prepare(); err != nil {
		return remedy(err)
	}
	if !i.isHeld() {
		defer j.owner.drop(i.Key)
	} else if i.Ongoing {
		j.ongoing.Store(i.Subject, true)
	}
	return remedy(j.change(i.Subject, sync, func([]Intent) ([]record, error) {
		return []record{{Put: &i}}, nil
	}))
}

// Hand records that a state with an id was returned to the host for the create with a
// token. The answered intents of the create become handed.
func (j *Journal) Hand(s Subject, token, id string) error {
	ongoing := false
	err := j.Revise(s, func(list []Intent) []Intent {
		for n := range list {
			i := &list[n]
			if i.Operation == Create && i.Token == token && i.Status == Answered {
				i.Status, i.ID, i.Ongoing = Handed, id, false
			}
			ongoing = ongoing || i.Ongoing
		}
		return list
	})
	if err == nil && !ongoing {
		j.ongoing.Delete(s) // Conclude has nothing to do
	}
	return err
}

// Settle removes the intents of a subject for which gone returns true. These
// certainly had no effect, or their effect is recorded elsewhere.
func (j *Journal) Settle(s Subject, gone func(Intent) bool) error {
	return j.Revise(s, func(list []Intent) []Intent { return slices.DeleteFunc(list, gone) })
}

// Revise replaces the intents of a subject by what revise makes of them: it may change and omit some.
func (j *Journal) Revise(s Subject, revise func([]Intent) []Intent) error {
	if _, err := os.Lstat(j.path(s)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return remedy(j.change(s, false, func(before []Intent) ([]record, error) {
		var records []record
		after := revise(slices.Clone(before))
		for _, was := range before {
			n := slices.IndexFunc(after, func(i Intent) bool { return i.Key == was.Key })
			switch {
			case n < 0:
				records = append(records, record{Settled: was.Key})
				defer j.owner.drop(was.Key)
			case !equal(was, after[n]):
				records = append(records, record{Put: &after[n]})
				if !after[n].isHeld() {
					defer j.owner.drop(was.Key)
				}
			}
		}
		return records, nil
	}))
}

// change reads the file of a subject and appends the records that do returns, while
// no other process changes the folder. It syncs after releasing the lock, so that
// concurrent changes wait for the disk together.
func (j *Journal) change(s Subject, sync bool, do func([]Intent) ([]record, error)) error {
	f, err := j.changeLocked(j.path(s), do)
	if err != nil || f == nil {
		return err
	}
	if sync {
		if err = f.Sync(); err == nil {
			err = syncFolder(j.dir)
		}
	}
	return errors.Join(err, f.Close())
}

// changeLocked returns the changed file, which the caller syncs and closes. It
// returns nil if nothing changed or the file was removed.
func (j *Journal) changeLocked(path string, do func([]Intent) ([]record, error)) (*os.File, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	release, err := lockFolder(j.dir)
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := j.read(path)
	if err != nil {
		return nil, err
	}
	j.examine(c.intents, map[Process]bool{})
	records, err := do(slices.Clone(c.intents))
	if err != nil || len(records) == 0 {
		return nil, err
	}
	for _, r := range records {
		c.apply(r)
	}
	j.files.set(filepath.Base(path), len(c.intents) > 0)
	switch {
	case len(c.intents) == 0:
		return nil, os.Remove(path)
	case c.torn || c.isLong():
		return replaceFile(path, c.intents)
	default:
		f, added, err := appendRecords(path, records)
		if err == nil {
			c.text = slices.Concat(c.text, added)
			j.parsed.keep(path, c)
		}
		return f, err
	}
}

// prepare creates the folder. It syncs the folder and its parents before it creates
// the folder of the owners. If that exists, they need not be synced again.
func (j *Journal) prepare() error {
	if _, err := os.Stat(j.owner.dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	if err := syncParents(j.dir); err != nil {
		return err
	}
	if err := os.Mkdir(j.owner.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// syncParents syncs a folder and all its parents. It ignores folders that it may not
// open, because this process did not create them.
func syncParents(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for {
		err := syncFolder(dir)
		if err != nil && !errors.Is(err, fs.ErrPermission) && !notSyncable(err) {
			return err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// List returns all intents, the oldest first. If it cannot read some files, it
// returns the intents of the others and an *UnreadableError.
func (j *Journal) List() ([]Intent, error) {
	entries, err := os.ReadDir(j.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, remedy(err)
	}
	var all []Intent
	var unreadable UnreadableError
	known := map[Process]bool{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ending {
			continue
		}
		path := filepath.Join(j.dir, e.Name())
		c, err := j.read(path)
		var bad *UnreadableError
		switch {
		case errors.As(err, &bad):
			unreadable.Files = append(unreadable.Files, bad.Files...)
		case err != nil:
			unreadable.Files = append(unreadable.Files, UnreadableFile{Path: path, Reason: err.Error()})
		}
		j.examine(c.intents, known)
		all = append(all, c.intents...)
	}
	sortByBegan(all)
	if unreadable.Files != nil {
		return all, &unreadable
	}
	return all, nil
}

// remedy adds a remedy to an error of the file system.
func remedy(err error) error {
	var busy *BusyError
	var bad *UnreadableError
	if err == nil || errors.As(err, &busy) || errors.As(err, &bad) || errors.Is(err, errChanged) {
		return err
	}
	return fmt.Errorf("cannot write the journal: %w; %s", err, advice(err))
}

// advice returns what to do about an error of the file system. Another folder would lack the open intents, so it is not the
// remedy for what passes, such as a full disk.
func advice(err error) string {
	is := func(list ...error) bool {
		return slices.ContainsFunc(list, func(one error) bool { return errors.Is(err, one) })
	}
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return "free some space there"
	case is(syscall.EMFILE, syscall.ENFILE):
		return "raise the limit of open files (`ulimit -n`)"
	case is(syscall.EIO):
		return "check the disk"
	}
	return "set " + variable + " to a writable folder"
}
