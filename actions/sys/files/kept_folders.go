package files

import (
	"os"
	"sync"
)

// mostKeptFolders is how many folders are kept open between calls.
const mostKeptFolders = 16

// keptFolders keeps the base folders of grants open between calls, since opening one costs as
// much as an operation in it. Each call first checks that the path still leads to the same
// folder. An open folder keeps its inode number, so a folder that was moved, mounted over,
// or removed and made again is recognized as another one, and is opened.
//
// It is safe for concurrent use. It needs no Close: package os closes folders that are no
// longer reachable.
type keptFolders struct {
	mu     sync.Mutex
	byBase map[string]*keptFolder
	clock  uint64
}

// keptFolder is an open folder, which any number of calls use.
type keptFolder struct {
	of   *keptFolders
	root *os.Root
	info os.FileInfo
	// opened is root as a file that can be synced, or nil before its first use. opening
	// guards it.
	opening sync.Mutex
	opened  *os.File
	// users is the number of calls that use it. dropped says that the last of them closes
	// it. used is the clock of its last use.
	users   int
	dropped bool
	used    uint64
}

// open opens a folder for a call, which must release it. It follows links in the path of `above`,
// which is the folder or one above it, and none below.
func (k *keptFolders) open(above, base string) (*keptFolder, error) {
	if !keepsFolders {
		root, err := OpenBase(above, base)
		if err != nil {
			return nil, err
		}
		f := &keptFolder{of: k, root: root}
		f.users, f.dropped = 1, true
		return f, nil
	}
	now, err := statBase(above, base)
	if err != nil {
		k.forget(base)
		return nil, err
	}
	if f := k.take(base, now); f != nil {
		return f, nil
	}
	root, err := OpenBase(above, base)
	if err != nil {
		return nil, err
	}
	f := &keptFolder{of: k, root: root}
	if f.info, err = root.Stat("."); err != nil {
		root.Close()
		return nil, err
	}
	k.add(base, f)
	return f, nil
}

// take returns the kept folder, or nil if it is not the one that was just looked at.
func (k *keptFolders) take(base string, now os.FileInfo) *keptFolder {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.byBase[base]
	if f == nil || !os.SameFile(f.info, now) {
		return nil
	}
	k.clock++
	f.used = k.clock
	f.users++
	return f
}

// add keeps a folder that was just opened and is in use. It drops another folder with that
// path and, if there are too many, the least recently used folder.
func (k *keptFolders) add(base string, f *keptFolder) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byBase == nil {
		k.byBase = map[string]*keptFolder{}
	}
	k.drop(base)
	if len(k.byBase) >= mostKeptFolders {
		oldest := ""
		for other, o := range k.byBase {
			if oldest == "" || o.used < k.byBase[oldest].used {
				oldest = other
			}
		}
		k.drop(oldest)
	}
	k.clock++
	f.used, f.users = k.clock, 1
	k.byBase[base] = f
}

// forget drops the folder of a path that no longer exists.
func (k *keptFolders) forget(base string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(base)
}

func (k *keptFolders) drop(base string) {
	if f := k.byBase[base]; f != nil {
		delete(k.byBase, base)
		f.dropped = true
		f.closeUnused()
	}
}

// release ends a call's use of the folder.
func (f *keptFolder) release() {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.users--
	f.closeUnused()
}

func (f *keptFolder) closeUnused() {
	if f.users > 0 || !f.dropped {
		return
	}
	if f.opened != nil {
		f.opened.Close()
	}
	f.root.Close()
}

// file returns the folder as a file that can be synced. It must not be listed, since calls
// share it and its read position.
func (f *keptFolder) file() (*os.File, error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.opened == nil {
		opened, err := openFolder(f.root)
		if err != nil {
			return nil, err
		}
		f.opened = opened
	}
	return f.opened, nil
}
