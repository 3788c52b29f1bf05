// Package journal keeps intents on disk: what a create is about to do in the
// world, written and synced before it is sent. If the process dies, or the answer
// is lost, the next run finds the intent and settles it (by the same idempotency
// key, or by looking) before anything is sent again. So nothing is made twice,
// and nothing is lost sight of.
package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What says which create an intent is of: the same create of the same resource
// with the same inputs is the same intent.
type What struct {
	Provider string `json:"provider"`
	// Type is the resource's in the spec, Resource the host's name for the one
	// resource (a URN).
	Type     string `json:"type"`
	Resource string `json:"resource"`
	// Settings is the hash of the provider's configuration without its secrets:
	// hosts give the same name to resources of different servers. A token that
	// was renewed changes nothing.
	Settings string `json:"settings,omitempty"`
	// Inputs is the hash of the inputs; Step the index of the step.
	Inputs string `json:"inputs"`
	Step   int    `json:"step"`
}

// Intent is a create that was begun.
type Intent struct {
	What
	// Key is random, and the same for every attempt.
	Key   string    `json:"key"`
	Began time.Time `json:"began"`
	// Answered says that the answer came; ID is what it gave, once known. The
	// intent stays until the host shows that it has recorded the id.
	Answered bool   `json:"answered,omitempty"`
	ID       string `json:"id,omitempty"`
	// Lost says that the process that began it no longer works on it, though it
	// may live: the outcome is unknown.
	Lost bool `json:"lost,omitempty"`
	// Owner is the process that works on it.
	Owner Process `json:"owner"`
}

// Journal is a folder of intents, a file each. It is safe for use by several
// processes at once.
type Journal struct{ dir string }

// DefaultDir is where the journal is kept: DECLPROV_JOURNAL, else the user's
// state folder (XDG_STATE_HOME, ~/.local/state). It has to outlive the process;
// on machines that do not last, point the variable at something that does.
func DefaultDir(getenv func(string) string) (string, error) {
	if dir := getenv("DECLPROV_JOURNAL"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "declprov", "journal"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for the journal of what is being created: %w; set DECLPROV_JOURNAL to a folder", err)
	}
	return filepath.Join(home, ".local", "state", "declprov", "journal"), nil
}

// In is the journal of a folder, which is made when it is first written to.
func In(dir string) *Journal { return &Journal{dir: dir} }

const ending = ".json"

// Hash is a name that no other create has.
func (w What) Hash() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{w.Provider, w.Type, w.Resource, w.Settings, w.Inputs, fmt.Sprint(w.Step)}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func (j *Journal) file(w What) string { return filepath.Join(j.dir, w.Hash()+ending) }

// Begin writes the intent of a create, and syncs it. Where the same create was
// begun before and never settled, that intent goes on, under its key: adopted. An
// intent that another live process works on is an error.
func (j *Journal) Begin(w What) (intent Intent, adopted bool, err error) {
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return Intent{}, false, remedy(err)
	}
	intent = Intent{What: w, Key: rand.Text(), Began: time.Now().UTC(), Owner: self()}
	// The disk is not waited for under the lock: creates side by side then wait
	// for it together.
	ready, err := j.prepare(intent, true)
	if err != nil {
		return Intent{}, false, remedy(err)
	}
	if intent, adopted, err = j.begin(intent, ready); err != nil {
		return Intent{}, false, errors.Join(err, discard(ready))
	}
	return intent, adopted, remedy(syncDir(j.dir))
}

// begin gives the prepared intent its name, or adopts the one that has it. The
// folder is still to be synced.
func (j *Journal) begin(intent Intent, ready string) (_ Intent, adopted bool, err error) {
	release, err := j.lock()
	if err != nil {
		return Intent{}, false, remedy(err)
	}
	defer release()
	before, err := read(j.file(intent.What))
	switch {
	case err == nil && !before.Lost && before.Owner.alive() && before.Owner != self():
		return Intent{}, false, fmt.Errorf("process %d is creating this %s at this moment; wait for it, or end it", before.Owner.PID, intent.Type)
	case err == nil:
		before.Owner, before.Lost = self(), false
		return before, true, remedy(errors.Join(discard(ready), j.write(before, true)))
	case !errors.Is(err, fs.ErrNotExist):
		return Intent{}, false, remedy(err)
	}
	return intent, false, remedy(os.Rename(ready, j.file(intent.What)))
}

// Answer notes that the answer came, and with it the id, if that is known. It is
// not synced: if it is lost, the create is only asked for again under its key.
func (j *Journal) Answer(i Intent, id string) error {
	i.Answered, i.ID = true, id
	return remedy(j.write(i, false))
}

// Lose notes that nobody knows what came of it, and that this process gives up.
func (j *Journal) Lose(i Intent) error {
	i.Lost = true
	return remedy(j.write(i, true))
}

// Settle forgets an intent: nothing came of it for certain, or what came of it is
// recorded elsewhere. One that is not there is settled.
func (j *Journal) Settle(w What) error {
	err := os.Remove(j.file(w))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return remedy(err)
	}
	return nil
}

// List is all intents that are not settled, the oldest first. Files that are none
// are passed over.
func (j *Journal) List() ([]Intent, error) {
	entries, err := os.ReadDir(j.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []Intent
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ending {
			continue
		}
		if i, err := read(filepath.Join(j.dir, e.Name())); err == nil {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b Intent) int { return a.Began.Compare(b.Began) })
	return out, nil
}

// Open reports whether nobody works on the intent and nothing came back: what a
// person may have to look after.
func (i Intent) Open() bool { return !i.Answered && (i.Lost || !i.Owner.alive()) }

func read(name string) (Intent, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Intent{}, err
	}
	var i Intent
	if err := json.Unmarshal(text, &i); err != nil || i.Key == "" {
		return Intent{}, fmt.Errorf("%s is no intent of declprov's: remove it once you know what it is", name)
	}
	return i, nil
}

// write replaces the intent's file whole. With sync it survives a loss of power
// from then on.
func (j *Journal) write(i Intent, sync bool) error {
	ready, err := j.prepare(i, sync)
	if err != nil {
		return err
	}
	if err := os.Rename(ready, j.file(i.What)); err != nil {
		return errors.Join(err, discard(ready))
	}
	if !sync {
		return nil
	}
	return syncDir(j.dir)
}

// prepare writes the intent to a file that has only to be renamed, and gives its
// name.
func (j *Journal) prepare(i Intent, sync bool) (string, error) {
	text, err := json.Marshal(i)
	if err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(j.dir, ".intent-*")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(append(text, '\n'))
	if sync {
		err = errors.Join(err, tmp.Sync())
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(err, discard(tmp.Name()))
	}
	return tmp.Name(), nil
}

// discard removes a prepared file, unless it was renamed or is gone.
func discard(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func remedy(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the journal of what is being created cannot be kept: %w; set DECLPROV_JOURNAL to a folder that can be written to", err)
}
