package assets

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// Walk visits the files of an archive: of a folder or a map of assets sorted by name, of a
// zip or tar file in its order. It skips empty folders. In a folder it follows links that
// stay within the folder. In a zip or tar file, a link is an error, and so is a name that
// leads out of the archive.
func Walk(ctx context.Context, env *actions.Env, f *spec.File, visit func(Entry) error) error {
	if !f.Archive {
		return errors.New("expected an archive, got an asset")
	}
	w := &walker{ctx: ctx, env: env, visit: visit, seen: map[string]bool{}}
	return w.archive(f, "")
}

type walker struct {
	ctx   context.Context
	env   *actions.Env
	visit func(Entry) error
	seen  map[string]bool
	bytes int64
}

func (w *walker) archive(f *spec.File, below string) error {
	switch {
	case f.Members != nil:
		return w.members(f, below)
	case f.Path != "":
		if w.env == nil || w.env.Files == nil {
			return errors.New("reading files is not available here")
		}
		return w.path(f.Path, below)
	case f.URI != "":
		return w.remote(f.URI, below)
	default:
		return errElided
	}
}

func (w *walker) members(f *spec.File, below string) error {
	for _, name := range slices.Sorted(maps.Keys(f.Members)) {
		at, member := path.Join(below, name), f.Members[name]
		if member.Archive {
			if err := w.archive(member, at); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		opened, err := Open(w.ctx, w.env, member)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		err = w.entry(Entry{Name: at, Mode: 0o644, Size: opened.Size, Content: opened})
		opened.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// path walks a folder, or a zip or tar file.
func (w *walker) path(name, below string) error {
	dir, err := w.env.Files.AssetPath(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("archive %q: %w", filepath.ToSlash(name), errors.Unwrap(err))
	}
	if info.IsDir() {
		return w.folder(dir, below)
	}
	opened, err := openPath(w.env, name)
	if err != nil {
		return err
	}
	return w.packed(opened, name, below)
}

func (w *walker) remote(uri, below string) error {
	opened, err := openURI(w.ctx, w.env, uri)
	if err != nil {
		return err
	}
	if u, err := url.Parse(uri); err == nil {
		uri = display(u)
	}
	return w.packed(opened, uri, below)
}

// folder visits the files of a folder. It opens them with os.Root, so the system refuses a
// link that leads out of the folder.
func (w *walker) folder(dir, below string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if !utf8.ValidString(name) {
			return checkName(name, name)
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := root.Stat(filepath.FromSlash(name))
		if err != nil {
			return fmt.Errorf("archive: %s: %w; a link must lead to a file in the same folder", name, errors.Unwrap(err))
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("archive: %s is not a regular file; remove it from the folder", name)
		}
		file, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer file.Close()
		return w.entry(Entry{Name: path.Join(below, name), Mode: info.Mode().Perm(), Size: info.Size(), Content: file})
	})
}

// packed visits the files of a zip or tar file, whose format it detects by the first bytes.
func (w *walker) packed(from *Opened, name, below string) error {
	defer from.Close()
	buffered := bufio.NewReader(from)
	head, _ := buffered.Peek(262)
	stream := &Opened{ReadCloser: struct {
		io.Reader
		io.Closer
	}{buffered, from}, Size: from.Size}
	var err error
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		err = w.zip(stream, below)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		var unzipped *gzip.Reader
		if unzipped, err = gzip.NewReader(buffered); err == nil {
			err = w.tar(unzipped, below)
		}
	case len(head) == 262 && (string(head[257:]) == "ustar" || bytes.Count(head, []byte{0}) == len(head)): // an empty one is zeros
		err = w.tar(buffered, below)
	default:
		err = errors.New("expected a folder, or a zip, tar or tar.gz file")
	}
	if err != nil {
		return fmt.Errorf("archive %q: %w", filepath.ToSlash(name), err)
	}
	return nil
}

// zip visits the files of a zip file. It spools the file first, since the directory of a zip
// file is at its end.
func (w *walker) zip(from *Opened, below string) error {
	file, size, err := spool(w.ctx, from)
	if err != nil {
		return err
	}
	defer file.Close()
	directory := &boundedAt{from: file, left: maxDirectory}
	r, err := zip.NewReader(directory, size)
	if err != nil {
		return err
	}
	directory.left = math.MaxInt64
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !f.Mode().IsRegular() {
			return notAFile(f.Name)
		}
		content, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		err = w.packedEntry(Entry{Name: f.Name, Mode: f.Mode().Perm(), Size: -1, Content: content}, below)
		content.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// maxDirectory is the maximum size of the directory of a zip file, which is read at once and
// takes ten times as much memory. It is enough for MaxFiles with long names.
const maxDirectory = 32 << 20

// boundedAt fails if more bytes are read than are left.
type boundedAt struct {
	from io.ReaderAt
	left int64
}

func (b *boundedAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("the directory of the archive is larger than %d bytes; split it into several archives", maxDirectory)
	}
	return b.from.ReadAt(p, at)
}

func (w *walker) tar(from io.Reader, below string) error {
	r := tar.NewReader(files.CancellableReader(w.ctx, from))
	for headers := 1; ; headers++ {
		h, err := r.Next()
		switch {
		case err == nil && headers > 2*MaxFiles:
			// Folders count too: a few compressed bytes can contain any number of them.
			return fmt.Errorf("the archive has more than %d files and folders; split it into several archives", 2*MaxFiles)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case h.Typeflag != tar.TypeReg:
			return notAFile(h.Name)
		}
		if err := w.packedEntry(Entry{Name: h.Name, Mode: h.FileInfo().Mode().Perm(), Size: h.Size, Content: r}, below); err != nil {
			return err
		}
	}
}

func notAFile(name string) error {
	return fmt.Errorf("%q in it is not a regular file, but a link, a device or the like; put a regular file into the archive instead", name)
}

// packedEntry visits a file of a zip or tar file, whose name is not trusted.
func (w *walker) packedEntry(e Entry, below string) error {
	name := path.Clean(e.Name)
	if err := checkName(e.Name, name); err != nil {
		return err
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return leadsOut(e.Name)
	}
	e.Name = path.Join(below, name)
	return w.entry(e)
}

// checkName returns an error about a name, which is given as the archive has it and cleaned, unless
// it is that of a file in the archive.
func checkName(given, name string) error {
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q in it is not UTF-8; pack the files with names in UTF-8", given)
	case name == ".":
		return fmt.Errorf("the name %q in it is not that of a file", given)
	case !fs.ValidPath(name):
		return leadsOut(given)
	}
	return nil
}

func leadsOut(name string) error { return fmt.Errorf("%q in it leads out of the archive", name) }

// entry visits one file, within the limits.
func (w *walker) entry(e Entry) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if err := checkName(e.Name, e.Name); err != nil {
		return err
	}
	if w.seen[e.Name] {
		return fmt.Errorf("it contains %q twice", e.Name)
	}
	if len(w.seen) == MaxFiles {
		return fmt.Errorf("the archive has more than %d files; split it into several archives", MaxFiles)
	}
	w.seen[e.Name] = true
	counted := &counter{from: files.CancellableReader(w.ctx, e.Content), left: MaxBytes - w.bytes}
	e.Content = counted
	err := w.visit(e)
	w.bytes = MaxBytes - counted.left
	return err
}

// counter fails if more bytes are read than are left.
type counter struct {
	from io.Reader
	left int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, tooLarge()
	}
	return n, err
}
