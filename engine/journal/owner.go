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

// A process that works on intents holds a lock on a file of its own, which the
// kernel releases when the process dies. So owners are told apart also where the
// journal is shared by containers, which number their processes each from 1. Other
// machines may not see the lock; for them the owner touches the file regularly.

const (
	ownersFolder = "owners"
	ownerEnding  = ".lock"
	// heartbeat is how often the file of a process with intents under way is
	// touched; a process of another machine whose file was not touched for
	// heartbeatLimit is taken for dead.
	heartbeat      = 15 * time.Second
	heartbeatLimit = 60 * time.Second
)

// Process identifies a process that owns intents.
type Process struct {
	// Name is that of its file in the folder of the owners.
	Name string `json:"name,omitempty"`
	PID  int    `json:"pid"`
	// Host is the name of its machine or container, for people.
	Host string `json:"host,omitempty"`
	// Boot identifies the running kernel, Machine the machine over restarts; ""
	// where the system does not say.
	Boot    string `json:"boot,omitempty"`
	Machine string `json:"machine,omitempty"`
	// Unlocked records that the file system refused the lock. Then Start, when
	// the process began, and Namespace, that of its number, tell it apart.
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

// current describes this process.
var current = sync.OnceValue(func() Process {
	p := Process{PID: os.Getpid(), Boot: bootID(), Machine: machineID(), Start: startOf(os.Getpid()), Namespace: namespace()}
	p.Host, _ = os.Hostname()
	return p
})

// owner is a Journal's claim to be alive.
type owner struct {
	dir string

	mu    sync.Mutex
	self  Process
	file  *os.File // locked; nil while nothing is under way
	keys  map[string]int
	timer *time.Timer
}

// hold notes that an intent is under way, and returns who works on it.
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
		o.touch() // it was not, while nothing was under way
	}
	o.keys[key]++
	return o.self, nil
}

// unhold takes back one hold.
func (o *owner) unhold(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.keys[key]--; o.keys[key] <= 0 {
		delete(o.keys, key)
	}
}

// drop notes that an intent is no longer under way. The lock is kept for a while:
// most often the next intent follows at once.
func (o *owner) drop(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.keys, key)
}

// acquire makes and locks a file. A sweep may take it away before it is locked,
// and then it is made again.
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

func isAt(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// beat touches the file, or gives it up if nothing is under way.
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

// alive reports whether a process still runs, and holds its intents.
func (o *owner) alive(p Process) bool {
	o.mu.Lock()
	own := o.file != nil && p == o.self
	o.mu.Unlock()
	if own {
		return true
	}
	if p.Name == "" || p.Name != filepath.Base(p.Name) {
		return false
	}
	f, err := os.Open(filepath.Join(o.dir, p.Name))
	if err != nil {
		// Its file is removed when it ends; a file that cannot be opened says
		// nothing, and the process may live.
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return aliveBy(f, p)
}

// aliveBy judges a process by its file.
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
		return false // before this machine was started again
	}
	return time.Since(touched) < heartbeatLimit
}

// sweep removes the files of processes that have died. Files that say nothing yet
// are of processes that are beginning.
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

// sweepOne removes a file while it holds its lock, so that no process that has
// just made it takes the lock for its own.
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
