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

// Open opens a regular file for reading. If it does not exist, it returns an fs.ErrNotExist.
func (f *Files) Open(name string) (*os.File, fs.FileInfo, error) {
	w := walk{files: f, access: grant.Read, follow: true}
	s, err := w.find(name)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	file, info, err := openRegular(s.dir, s.base, s.info)
	if err != nil {
		return nil, nil, fmt.Errorf("%q: %w", name, causeOf(err))
	}
	return file, info, nil
}

// openRegular opens a regular file that is not a link. It does not open a device or pipe,
// since opening one can have effects or block forever. If the file is replaced in between,
// it tries again, but gives up after many replacements, which are probably an attack.
//
// Before is the result of a look just before, or nil.
func openRegular(dir *os.Root, base string, before fs.FileInfo) (file *os.File, info fs.FileInfo, err error) {
	for range 100 {
		if file, info, err = openUnchanged(dir, base, before); !errors.Is(err, errReplaced) {
			break
		}
		before = nil
	}
	return file, info, err
}

// openUnchanged opens a regular file, and returns errReplaced if it is not the one that was
// looked at before.
func openUnchanged(dir *os.Root, base string, before fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if before == nil {
		var err error
		if before, err = dir.Lstat(base); err != nil {
			return nil, nil, err
		}
	}
	if err := checkRegular(before); err != nil {
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

// checkRegular returns nil for a regular file, else an error that says what it is.
func checkRegular(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	if info.IsDir() {
		return ErrDirectory
	}
	return fmt.Errorf("expected a file, got %s", describe(info.Mode()))
}

// ErrDirectory says that a path names a directory instead of a file.
var ErrDirectory = errors.New("expected a file, got a directory")

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

// Stat returns the file info of what the path names. It follows symbolic links.
func (f *Files) Stat(name string) (fs.FileInfo, error) { return f.look(name, true) }

// Lstat returns the file info of what the path names. It does not follow a symbolic link at
// the end of the path.
func (f *Files) Lstat(name string) (fs.FileInfo, error) { return f.look(name, false) }

func (f *Files) look(name string, follow bool) (fs.FileInfo, error) {
	w := walk{files: f, access: grant.Read, follow: follow, entry: !follow}
	s, err := w.find(name)
	if err != nil {
		return nil, err
	}
	defer s.close()
	info, err := s.look()
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, causeOf(err))
	}
	return info, nil
}

// Readlink returns the target of a symbolic link as it is stored.
func (f *Files) Readlink(name string) (string, error) {
	w := walk{files: f, access: grant.Read, entry: true}
	s, err := w.find(name)
	if err != nil {
		return "", err
	}
	defer s.close()
	target, err := s.dir.Readlink(s.base)
	if err != nil {
		return "", fmt.Errorf("%q: %w", name, causeOf(err))
	}
	return target, nil
}

// ReadDir returns the entries of a folder, sorted by name, without our temporary files.
func (f *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	w := walk{files: f, access: grant.Read, follow: true}
	s, err := w.find(name)
	if err != nil {
		return nil, err
	}
	defer s.close()
	info, err := s.look()
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("expected a directory, got %s", describe(info.Mode()))
	}
	var all []fs.DirEntry
	if err == nil {
		all, err = fs.ReadDir(s.dir.FS(), s.base)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, causeOf(err))
	}
	kept := all[:0]
	for _, e := range all {
		if !isTemporary(e.Name()) {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// AssetPath returns the absolute path of an asset or archive. A relative path is relative to
// the folder of the user's program.
func (f *Files) AssetPath(name string) (string, error) { return f.absolute(name) }

// OpenAsset opens the file of an asset with a path. The user of the provider chose this
// file, not the spec, so it needs no permission of the spec. Call it only with the path of
// an asset.
func (f *Files) OpenAsset(name string) (*os.File, fs.FileInfo, error) {
	abs, err := f.absolute(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(abs)
	if err == nil {
		err = checkRegular(info)
	}
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("asset %q: %w", filepath.ToSlash(name), causeOf(err))
	}
	return file, info, nil
}

// Locate returns the absolute path of what the path names, with all symbolic links resolved,
// if the access is granted. It is for libraries that open files themselves, which must not
// follow a link at the end of it. The file need not exist, but its folder must.
func (f *Files) Locate(access grant.Access, name string) (string, error) {
	w := walk{files: f, access: access, follow: true}
	s, err := w.find(name)
	if err != nil {
		return "", err
	}
	defer s.close()
	return s.path, nil
}
