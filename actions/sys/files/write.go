package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/declprov/declprov/actions/grant"
)

// WriteOptions are the options of Write.
type WriteOptions struct {
	// Mode is the exact mode, independent of the umask. Nil keeps the mode of a replaced
	// file, and means 0666 less the umask for a new file.
	Mode *fs.FileMode
	// Private says that a new file is readable only by its owner if Mode is nil.
	Private bool
	// Parents makes missing parent folders.
	Parents bool
	// Overwrite replaces a file that exists; otherwise that is an fs.ErrExist.
	Overwrite bool
	// Mark identifies the create that writes the file, or is "": see mark.go. Without
	// Overwrite, a file with the same mark is replaced if nobody has touched it since.
	Mark string
}

// Write writes the content of src to a file atomically. The content goes to a temporary file
// in the same folder, which is renamed once it is on disk. So a reader sees the old file or
// the new one, also after a crash.
//
// With Overwrite, a symbolic link is followed if its target is granted. Other hard links of
// a replaced file keep the old content.
//
// Unless the error is a *ChangedError, nothing was changed.
func (f *Files) Write(ctx context.Context, name string, src io.Reader, opts WriteOptions) (fs.FileInfo, error) {
	if name != "" && os.IsPathSeparator(name[len(name)-1]) {
		return nil, fmt.Errorf("write %q: the path ends in a slash, as for a directory; give the path of a file", name)
	}
	c := change{walk{files: f, access: grant.Write, follow: opts.Overwrite, entry: true, parents: opts.Parents}}
	info, err := c.write(ctx, name, src, opts)
	c.finish(err)
	return info, err
}

func (c *change) write(ctx context.Context, name string, src io.Reader, opts WriteOptions) (fs.FileInfo, error) {
	s, tmp, old, err := c.prepare(name, opts)
	if err != nil {
		return nil, fmt.Errorf("write %w", err)
	}
	defer s.close()
	defer tmp.close()
	if old != nil {
		keepOwner(tmp, old)
	}
	info, err := c.fill(ctx, tmp, src, finalMode(opts.Mode, old), opts.Mark)
	if err == nil {
		err = c.commit(s, tmp, info, old != nil || opts.Overwrite)
	}
	if err != nil {
		tmp.discard()
		return nil, explain("write", name, err)
	}
	if err := c.syncNames(s); err != nil {
		return nil, &ChangedError{fmt.Errorf("write %q: the file was written, but may not survive a crash of the system: %w", name, causeOf(err))}
	}
	return info, nil
}

// prepare finds the place, checks that it can be written, and makes the temporary file. If
// another call removes a parent folder in between, prepare makes it again.
func (c *change) prepare(name string, opts WriteOptions) (*spot, *temp, fs.FileInfo, error) {
	for try := 1; ; try++ {
		s, err := c.find(name)
		if err != nil {
			return nil, nil, nil, addParentsRemedy(err)
		}
		old, err := checkReplaceable(s, opts)
		var tmp *temp
		if err == nil {
			c.files.sweep(s)
			tmp, err = c.files.newTemp(s.dir, s.base, opts.Mode == nil && old == nil && !opts.Private)
		}
		if err == nil {
			return s, tmp, old, nil
		}
		s.close()
		if try == 3 || !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil, fmt.Errorf("%q: %w", name, addOverwriteRemedy(causeOf(err)))
		}
	}
}

// checkReplaceable returns what exists at the spot, or nil, or an error if a file may not
// replace it.
func checkReplaceable(s *spot, opts WriteOptions) (fs.FileInfo, error) {
	if s.base == "." {
		return nil, ErrDirectory
	}
	old, err := s.look()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case old.Mode().IsDir():
		return nil, errors.New("it is a directory; delete it first, or choose another path")
	case !opts.Overwrite && s.hasMark(opts.Mark, old):
		return old, nil
	case !opts.Overwrite:
		return nil, fs.ErrExist
	case !old.Mode().IsRegular():
		return nil, checkRegular(old)
	}
	return old, nil
}

// finalMode returns the mode to set, or nil if the file keeps the mode it was made with.
func finalMode(given *fs.FileMode, old fs.FileInfo) *fs.FileMode {
	if given == nil && old != nil {
		kept := old.Mode().Perm()
		return &kept
	}
	return given
}

// fill writes the content and mode of the temporary file to the disk.
func (c *change) fill(ctx context.Context, tmp *temp, src io.Reader, mode *fs.FileMode, mark string) (fs.FileInfo, error) {
	if err := c.files.runHook("write"); err != nil {
		return nil, err
	}
	buffer := c.files.buffers.Get().(*[copyBuffer]byte)
	defer c.files.buffers.Put(buffer)
	// CopyBuffer would use the file's ReadFrom instead of the buffer.
	if _, err := io.CopyBuffer(struct{ io.Writer }{tmp.file}, CancellableReader(ctx, &source{src}), buffer[:]); err != nil {
		return nil, err
	}
	if err := c.files.runHook("chmod"); err != nil {
		return nil, err
	}
	if mode != nil {
		if err := tmp.file.Chmod(*mode); err != nil {
			return nil, err
		}
	}
	if err := tmp.setMark(mark); err != nil {
		return nil, err
	}
	if err := c.files.runHook("sync"); err != nil {
		return nil, err
	}
	if err := tmp.file.Sync(); err != nil {
		return nil, err
	}
	return tmp.file.Stat()
}

// source is the content to write. Its errors say that reading it failed.
type source struct{ io.Reader }

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("read the content to write: %w", causeOf(err))
	}
	return n, err
}

// commit renames the temporary file to its final name.
func (c *change) commit(s *spot, tmp *temp, info fs.FileInfo, overwrite bool) error {
	if err := c.files.runHook("rename"); err != nil {
		return err
	}
	var err error
	if overwrite {
		err = renameOver(s, tmp.name)
	} else {
		err = renameNew(s, tmp.name)
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A network file system can report an error although it renamed the file.
	if now, lookErr := s.dir.Lstat(s.base); lookErr == nil && os.SameFile(now, info) {
		return &ChangedError{err}
	}
	return err
}
