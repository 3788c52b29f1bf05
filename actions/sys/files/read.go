package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/declprov/declprov/actions/grant"
)

// Open opens a regular file for reading. A missing one is fs.ErrNotExist.
func (f *Files) Open(name string) (*os.File, fs.FileInfo, error) {
	w := walk{files: f, access: grant.Read, follow: true}
	s, err := w.to(name)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	file, info, err := openRegular(s.dir, s.base, s.info)
	if err != nil {
		return nil, nil, fmt.Errorf("%q: %w", name, because(err))
	}
	return file, info, nil
}

// openRegular opens a regular file that is no link. A device or a pipe is not
// even opened: that alone can have effects, or last for ever. While a file is
// being replaced it is looked at again; who replaces it faster than we can look
// means no good.
//
// Before is what a look at it just found, or nil.
func openRegular(dir *os.Root, base string, before fs.FileInfo) (file *os.File, info fs.FileInfo, err error) {
	for range 100 {
		if file, info, err = openLooked(dir, base, before); !errors.Is(err, errReplaced) {
			break
		}
		before = nil
	}
	return file, info, err
}

func openLooked(dir *os.Root, base string, before fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if before == nil {
		var err error
		if before, err = dir.Lstat(base); err != nil {
			return nil, nil, err
		}
	}
	if err := regular(before); err != nil {
		return nil, nil, err
	}
	file, err := dir.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errReplaced
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// regular is nil for a file with content, else says what it is.
func regular(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	if info.IsDir() {
		return ErrDirectory
	}
	return fmt.Errorf("it is %s, not a file", describe(info.Mode()))
}

// ErrDirectory says that a path that should name a file names a directory.
var ErrDirectory = errors.New("it is a directory, not a file")

func describe(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "something else"
	}
}

// Stat looks at what the path names, behind symbolic links.
func (f *Files) Stat(name string) (fs.FileInfo, error) { return f.look(name, true) }

// Lstat looks at what the path names, and at a symbolic link itself.
func (f *Files) Lstat(name string) (fs.FileInfo, error) { return f.look(name, false) }

func (f *Files) look(name string, follow bool) (fs.FileInfo, error) {
	w := walk{files: f, access: grant.Read, follow: follow, entry: !follow}
	s, err := w.to(name)
	if err != nil {
		return nil, err
	}
	defer s.close()
	info, err := s.look()
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, because(err))
	}
	return info, nil
}

// Readlink is the target of a symbolic link, as it is written there.
func (f *Files) Readlink(name string) (string, error) {
	w := walk{files: f, access: grant.Read, entry: true}
	s, err := w.to(name)
	if err != nil {
		return "", err
	}
	defer s.close()
	target, err := s.dir.Readlink(s.base)
	if err != nil {
		return "", fmt.Errorf("%q: %w", name, because(err))
	}
	return target, nil
}

// ReadDir is what a folder holds, sorted by name, without our own temporary
// files.
func (f *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	w := walk{files: f, access: grant.Read, follow: true}
	s, err := w.to(name)
	if err != nil {
		return nil, err
	}
	defer s.close()
	info, err := s.look()
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("it is %s, not a directory", describe(info.Mode()))
	}
	var all []fs.DirEntry
	if err == nil {
		all, err = fs.ReadDir(s.dir.FS(), s.base)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, because(err))
	}
	kept := all[:0]
	for _, e := range all {
		if !isTemporary(e.Name()) {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// AssetPath is where an asset or archive with that path lies: relative ones
// start at the folder of the user's program.
func (f *Files) AssetPath(name string) (string, error) { return f.absolute(name) }

// OpenAsset opens a file that the user of a provider handed over (an asset with
// a path). Permissions bound what a spec may do, and it is not the spec that
// chose this file: it is read wherever it lies. Never call it with a path that
// comes from anything but an asset.
func (f *Files) OpenAsset(name string) (*os.File, fs.FileInfo, error) {
	abs, err := f.absolute(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(abs)
	if err == nil {
		err = regular(info)
	}
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("asset %q: %w", filepath.ToSlash(name), because(err))
	}
	return file, info, nil
}
