package journal

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A process that works on intents locks a file of its own. The kernel releases the lock
// when the process dies. A process ID is not enough to identify an
// owner, because containers that share the journal each number their processes from 1. Other machines may not see the lock;
// for them the owner touches the file regularly.

const (
	ownersFolder = "owners"
	ownerEnding  = ".lock"
	// heartbeat is the interval at which a process with intents under way touches its
	// file. A process on another machine counts as dead if it has not touched its file
	// for heartbeatLimit.
	heartbeat      = 15 * time.Second
	heartbeatLimit = 60 * time.Second
)

// Process identifies a process that owns intents.
type Process struct {
	// Name is the name of the process's file in the folder of the owners.
	Name string `json:"name,omitempty"`
	PID  int    `json:"pid"`
	// Host is the name of the machine or container, for messages.
	Host string `json:"host,omitempty"`
	// Boot identifies the running kernel. Machine identifies the machine and does not
	// change when it restarts. They are "" if the system has no such identifiers.
	Boot    string `json:"boot,omitempty"`
	Machine string `json:"machine,omitempty"`
	// Unlocked is true if the file system refused the lock. The process is then
	// identified by its PID, its start time (Start) and its PID namespace (Namespace).
	Unlocked  bool   `json:"unlocked,omitempty"`
	Start     string `json:"start,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

func (p Process) String() string {
	if host, err := os.Hostname(); p.Host == "" || err == nil && host == p.Host {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d on %s", p.PID, p.Host)
}

// current returns this process.
var current = sync.OnceValue(func() Process {
	p := Process{PID: os.Getpid(), Boot: bootID(), Machine: machineID(), Start: startOf(os.Getpid()), Namespace: namespace()}
	p.Host, _ = os.Hostname()
	return p
})

// owner shows to other processes that a Journal's process is alive.
type owner struct {
	dir string

	mu    sync.Mutex
	self  Process
	file  *os.File // locked; nil while nothing is under way
	keys  map[string]int
	timer *time.Timer
}

// hold records that an intent is under way, and returns the owner.
func (o *owner) hold(key string) (Process, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		if err := o.acquire(); err != nil {
			return Process{}, err
		}
	}
	if o.keys == nil {
		o.keys = map[string]int{}
	}
	if len(o.keys) == 0 {
		o.touch() // an idle owner does not
	}
	o.keys[key]++
	return o.self, nil
}

// unhold undoes one hold.
func (o *owner) unhold(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.keys[key]--; o.keys[key] <= 0 {
		delete(o.keys, key)
	}
}

// drop records that an intent is no longer under way. The lock remains for a while,
// because usually the next intent follows immediately.
func (o *owner) drop(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.keys, key)
}

// acquire creates and locks a file. If a sweep removes the file before it is locked,
// acquire repeats.
func (o *owner) acquire() error {
	o.sweep()
	for {
		self := current()
		self.Name = rand.Text() + ownerEnding
		path := filepath.Join(o.dir, self.Name)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		held, err := tryLock(f, exclusive)
		self.Unlocked = err != nil
		if err == nil && !held || !isAt(f, path) {
			_ = f.Close()
			_ = os.Remove(path)
			continue
		}
		text, err := json.Marshal(self)
		if err == nil {
			_, err = f.Write(text)
		}
		if err != nil {
			return errors.Join(err, os.Remove(path), f.Close())
		}
		o.self, o.file = self, f
		o.timer = time.AfterFunc(heartbeat, o.beat)
		return nil
	}
}

// isAt reports whether path still refers to f.
func isAt(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// beat touches the file, or releases it if nothing is under way.
func (o *owner) beat() {
	o.mu.Lock()
	idle := len(o.keys) == 0
	if o.file != nil && !idle {
		o.touch()
		o.timer.Reset(heartbeat)
	}
	o.mu.Unlock()
	if idle {
		_ = o.releaseIf(func() bool { return len(o.keys) == 0 })
	}
}

func (o *owner) touch() {
	now := time.Now()
	_ = os.Chtimes(o.file.Name(), now, now) // only other machines look at it
}

func (o *owner) release() error { return o.releaseIf(func() bool { return true }) }

func (o *owner) releaseIf(ready func() bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil || !ready() {
		return nil
	}
	o.timer.Stop()
	clear(o.keys)
	f := o.file
	o.file = nil
	err := os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// is reports whether a process is this one.
func (o *owner) is(p Process) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.file != nil && p == o.self
}

// alive reports whether a process is running and holds its intents.
func (o *owner) alive(p Process) bool {
	if o.is(p) {
		return true
	}
	if p.Name == "" || p.Name != filepath.Base(p.Name) {
		return false
	}
	f, err := os.Open(filepath.Join(o.dir, p.Name))
	if err != nil {
		// A process removes its file when it ends. If the file exists and cannot be
		// opened, the process may be alive.
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return aliveBy(f, p)
}

// aliveBy reports whether a process is alive according to its file.
func aliveBy(f *os.File, p Process) bool {
	free, err := tryLock(f, shared)
	me := current()
	sameKernel := p.Boot == me.Boot && (p.Boot != "" || p.Host == me.Host)
	switch {
	case err == nil && !free:
		return true
	case err == nil && !p.Unlocked && sameKernel:
		return false
	case p.Unlocked && sameKernel && p.Namespace == me.Namespace:
		return running(p.PID, p.Start)
	}
	info, err := f.Stat()
	if err != nil {
		return true
	}
	touched := info.ModTime()
	if p.Machine != "" && p.Machine == me.Machine && p.Boot != me.Boot && touched.Before(booted()) {
		return false // before this machine restarted
	}
	return time.Since(touched) < heartbeatLimit
}

// sweep removes the files of dead processes. It keeps empty files, because their
// processes are starting.
func (o *owner) sweep() {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return // acquire reports it
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ownerEnding) {
			continue
		}
		o.sweepOne(filepath.Join(o.dir, e.Name()))
	}
}

// sweepOne removes a file while it holds its lock, so that a process that has just
// created the file does not lock a removed one.
func (o *owner) sweepOne(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	var p Process
	err = json.NewDecoder(f).Decode(&p)
	info, statErr := f.Stat()
	if cmp.Or(err, statErr) != nil {
		if statErr == nil && time.Since(info.ModTime()) > heartbeatLimit {
			_ = os.Remove(path)
		}
		return
	}
	if !aliveBy(f, p) {
		_ = os.Remove(path)
	}
}
