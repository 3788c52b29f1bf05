package files

import (
	"os"
	"sync"
)

// mostKeptFolders are held open between calls.
const mostKeptFolders = 16

// keptFolders are the granted folders that calls walk from, held open from call
// to call: opening one anew costs as much as what is done in it. Each call looks
// first whether the path still leads to that very folder. What is open keeps its
// number, so that a folder that was removed and made again, moved, or mounted
// over is told from it, and is opened as any other.
//
// It is safe for concurrent use. Who forgets it need not close it: package os
// closes what nobody can reach any more.
type keptFolders struct {
	mu     sync.Mutex
	byBase map[string]*keptFolder
	clock  uint64
}

// keptFolder is an open folder, in use by some calls or by none.
type keptFolder struct {
	of   *keptFolders
	root *os.Root
	info os.FileInfo
	// opened is root as a file that can be synced, from when it is first asked
	// for; opening guards it.
	opening sync.Mutex
	opened  *os.File
	// users are the calls that hold it; dropped says that the last of them closes
	// it; used is when it was last asked for.
	users   int
	dropped bool
	used    uint64
}

// open opens a folder for a call, which releases it. Links in its path are
// followed.
func (k *keptFolders) open(base string) (*keptFolder, error) {
	if !keepsFolders {
		root, err := os.OpenRoot(base)
		if err != nil {
			return nil, err
		}
		f := &keptFolder{of: k, root: root}
		f.users, f.dropped = 1, true
		return f, nil
	}
	now, err := os.Stat(base)
	if err != nil {
		k.forget(base)
		return nil, err
	}
	if f := k.take(base, now); f != nil {
		return f, nil
	}
	root, err := os.OpenRoot(base)
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

// take is the kept folder, if it is the one that was just looked at.
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

// add keeps a folder that was just opened, in use, instead of another of that
// path and, where there are too many, of the one that was not used for longest.
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

// forget closes the folder of a path that leads nowhere any more.
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

// file is the folder as a file that can be synced; it is not to be listed, for
// calls share it, and its place in a listing.
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
