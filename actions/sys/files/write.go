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

// WriteOptions are how a file is written.
type WriteOptions struct {
	// Mode is exact, whatever the umask; nil keeps the mode of a file that is
	// replaced, and is 0666 less the umask for a new one.
	Mode *fs.FileMode
	// Private says that nobody else may read a new file that Mode says nothing of.
	Private bool
	// Parents makes missing folders.
	Parents bool
	// Overwrite replaces a file that exists; without it that is an error of
	// kind fs.ErrExist.
	Overwrite bool
	// Mark says whose the file is, where a create makes it: see mark.go.
	// Without Overwrite, a file of the same mark that nobody has touched since
	// is replaced all the same.
	Mark string
}

// Write makes a file of what src yields: whole, or not at all. The content goes
// to a temporary sibling that takes the name once it is on disk, so a reader
// sees the old file or the new one, and so does who comes after a crash.
//
// With Overwrite a symbolic link is followed, as reading does, if its target is
// granted. Other hard links of a replaced file keep the old content.
//
// An error that is no *ChangedError left everything as it was.
func (f *Files) Write(ctx context.Context, name string, src io.Reader, opts WriteOptions) (fs.FileInfo, error) {
	if name != "" && os.IsPathSeparator(name[len(name)-1]) {
		return nil, fmt.Errorf("write %q: the path ends in a slash, as a directory's does; name a file", name)
	}
	c := change{walk{files: f, access: grant.Write, follow: opts.Overwrite, entry: true, parents: opts.Parents}}
	info, err := c.write(ctx, name, src, opts)
	c.end(err)
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
	if err := c.settle(s); err != nil {
		return nil, &ChangedError{fmt.Errorf("write %q: it is written, but the system cannot promise that it outlasts a crash: %w", name, because(err))}
	}
	return info, nil
}

// prepare finds the place, sees that it can be written, and makes the temporary
// file. A folder that another call takes back in between is made again.
func (c *change) prepare(name string, opts WriteOptions) (*spot, *temp, fs.FileInfo, error) {
	for try := 1; ; try++ {
		s, err := c.to(name)
		if err != nil {
			return nil, nil, nil, missingParent(err)
		}
		old, err := replaceable(s, opts)
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
			return nil, nil, nil, fmt.Errorf("%q: %w", name, remedy(because(err)))
		}
	}
}

// replaceable is what stands at the spot, or an error if it may not be
// replaced by a file.
func replaceable(s *spot, opts WriteOptions) (fs.FileInfo, error) {
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
	case !opts.Overwrite && s.own(opts.Mark, old):
		return old, nil
	case !opts.Overwrite:
		return nil, fs.ErrExist
	case !old.Mode().IsRegular():
		return nil, regular(old)
	}
	return old, nil
}

// finalMode is nil where the mode that the file was made with is right.
func finalMode(given *fs.FileMode, old fs.FileInfo) *fs.FileMode {
	if given == nil && old != nil {
		kept := old.Mode().Perm()
		return &kept
	}
	return given
}

// fill brings content and mode of the temporary file to the disk.
func (c *change) fill(ctx context.Context, tmp *temp, src io.Reader, mode *fs.FileMode, mark string) (fs.FileInfo, error) {
	if err := c.files.at("write"); err != nil {
		return nil, err
	}
	buffer := c.files.buffers.Get().(*[copyBuffer]byte)
	defer c.files.buffers.Put(buffer)
	// The file's own ReadFrom would hide the buffer from CopyBuffer.
	if _, err := io.CopyBuffer(struct{ io.Writer }{tmp.file}, Cancellable(ctx, &source{src}), buffer[:]); err != nil {
		return nil, err
	}
	if err := c.files.at("chmod"); err != nil {
		return nil, err
	}
	if mode != nil {
		if err := tmp.file.Chmod(*mode); err != nil {
			return nil, err
		}
	}
	if err := tmp.mark(mark); err != nil {
		return nil, err
	}
	if err := c.files.at("sync"); err != nil {
		return nil, err
	}
	if err := tmp.file.Sync(); err != nil {
		return nil, err
	}
	return tmp.file.Stat()
}

// source is content that is to be written; its errors say so.
type source struct{ io.Reader }

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("read what is to be written: %w", because(err))
	}
	return n, err
}

// commit gives the temporary file its name.
func (c *change) commit(s *spot, tmp *temp, info fs.FileInfo, overwrite bool) error {
	if err := c.files.at("rename"); err != nil {
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
	// A file system over a network can fail and have done it.
	if now, lookErr := s.dir.Lstat(s.base); lookErr == nil && os.SameFile(now, info) {
		return &ChangedError{err}
	}
	return err
}
