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

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// Walk visits the files of an archive: those of a folder and of a list of assets
// by name, those of a zip or tar file as they come. Folders without files are
// none. A link is followed where a folder is handed over and it stays within;
// one in a zip or tar file is an error, and so are names that lead outside.
func Walk(ctx context.Context, env *actions.Env, f *spec.File, visit func(Entry) error) error {
	if !f.Archive {
		return errors.New("it is an asset, and an archive is wanted")
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
			return errors.New("files cannot be read here")
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

// folder visits the files of a folder. What is opened is opened below it, so a
// link that leads outside is refused by the system.
func (w *walker) folder(dir, below string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := root.Stat(filepath.FromSlash(name))
		if err != nil {
			return fmt.Errorf("archive: %s: %w; a link may lead to a file of the same folder only", name, errors.Unwrap(err))
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("archive: %s is no file, and an archive holds files; take it out of the folder", name)
		}
		file, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer file.Close()
		return w.entry(Entry{Name: path.Join(below, name), Mode: info.Mode().Perm(), Size: info.Size(), Content: file})
	})
}

// packed visits the files of a zip or tar file, which its first bytes tell apart.
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
		err = errors.New("it is neither a folder nor a zip, tar or tar.gz file")
	}
	if err != nil {
		return fmt.Errorf("archive %q: %w", filepath.ToSlash(name), err)
	}
	return nil
}

// zip needs to read from the end, so it is spooled.
func (w *walker) zip(from *Opened, below string) error {
	file, size, err := spooled(w.ctx, from, MaxBytes)
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

// maxDirectory is how much of a zip file may be its directory, which is read at once and
// takes ten times as much memory. It is enough for MaxFiles with long names.
const maxDirectory = 32 << 20

// boundedAt fails where more is read than was left.
type boundedAt struct {
	from io.ReaderAt
	left int64
}

func (b *boundedAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("its directory has more than %d bytes; hand over less at once", maxDirectory)
	}
	return b.from.ReadAt(p, at)
}

func (w *walker) tar(from io.Reader, below string) error {
	r := tar.NewReader(files.Cancellable(w.ctx, from))
	for headers := 1; ; headers++ {
		h, err := r.Next()
		switch {
		case err == nil && headers > 2*MaxFiles:
			// Folders count here: of those a few packed bytes hold as many as one likes.
			return fmt.Errorf("it has more than %d files and folders; hand over less at once", 2*MaxFiles)
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
	return fmt.Errorf("%q in it is a link or a device, and files are wanted; pack the files themselves", name)
}

// packedEntry visits a file whose name somebody else has written.
func (w *walker) packedEntry(e Entry, below string) error {
	name := path.Clean(e.Name)
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q in it leads out of the archive", e.Name)
	}
	e.Name = path.Join(below, name)
	return w.entry(e)
}

// entry visits one file, within the limits.
func (w *walker) entry(e Entry) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if !fs.ValidPath(e.Name) || e.Name == "." {
		return fmt.Errorf("%q is not a valid name for a file of an archive", e.Name)
	}
	if w.seen[e.Name] {
		return fmt.Errorf("%q is in it twice", e.Name)
	}
	if len(w.seen) == MaxFiles {
		return fmt.Errorf("it has more than %d files; hand over less at once", MaxFiles)
	}
	w.seen[e.Name] = true
	counted := &counter{from: files.Cancellable(w.ctx, e.Content), left: MaxBytes - w.bytes}
	e.Content = counted
	err := w.visit(e)
	w.bytes = MaxBytes - counted.left
	return err
}

// counter fails where there is more than was left.
type counter struct {
	from io.Reader
	left int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, tooLarge(MaxBytes)
	}
	return n, err
}
