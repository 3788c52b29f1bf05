package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"cuelang.org/go/cue/parser"
)

// The size limits of a spec. They limit the work before the evaluation. The caller
// limits the evaluation by running it in a process.
const (
	MaxFile  = 1 << 20
	maxTotal = 4 << 20
)

// errTooLarge is wrapped by the errors for files that exceed a limit.
var errTooLarge = errors.New("too large")

// tree is the file system from which CUE loads: the folder of the spec, or the root
// of its module, with an overlay in memory. It opens nothing outside of the folder
// and only regular files, and keeps what it read. It is safe for concurrent use,
// because CUE loads packages concurrently.
type tree struct {
	mu      sync.Mutex // guards files and total
	root    *os.Root
	overlay map[string][]byte // by slash-separated path without a leading slash
	module  string            // the path of the module at the root
	display func(string) string
	files   *Files
	// replaced are contents to read in place of those on disk, by shown path.
	replaced map[string][]byte
	// loading means that CUE is searching for packages, and not for files to embed.
	// Folders then only list CUE files, because CUE reads the beginning of each file.
	loading bool
	// alone is the path of the only file of the spec, or "" if the spec is a folder.
	alone string
	// withoutModule is true if CUE is given no module, because the spec is a file that uses none.
	withoutModule bool
	total         int
}

// Open implements fs.FS.
func (t *tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if content, ok := t.overlay[name]; ok {
		return &memFile{info: memInfo{name: path.Base(name), size: len(content)}, Reader: bytes.NewReader(content)}, nil
	}
	info, err := t.stat(name)
	laid := t.overlayEntries(name)
	switch {
	case err != nil && len(laid) > 0:
		return &memDir{info: memInfo{name: path.Base(name), dir: true}, entries: laid}, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return t.openDir(name, info, laid)
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	default:
		return &lazyFile{tree: t, name: name, info: info}, nil
	}
}

func (t *tree) stat(name string) (fs.FileInfo, error) {
	if t.root == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return t.root.Stat(name)
}

// openDir lists a folder together with the overlay.
func (t *tree) openDir(name string, info fs.FileInfo, laid []fs.DirEntry) (fs.File, error) {
	t.mu.Lock()
	t.files.listed[t.display(name)] = true
	t.mu.Unlock()
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	if t.loading {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return !e.IsDir() && (formatOf(e.Name()) != "cue" || t.isBrokenNeighbour(path.Join(name, e.Name())))
		})
	}
	for _, e := range laid {
		same := func(o fs.DirEntry) bool { return o.Name() == e.Name() }
		entries = append(slices.DeleteFunc(entries, same), e)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return &memDir{info: info, entries: entries}, nil
}

// isBrokenNeighbour reports whether a file is next to the only file of the spec and cannot be read or
// parsed. CUE reads the files in the folders above an imported package, and fails for any mistake
// in them, although only those of the same package belong to it.
func (t *tree) isBrokenNeighbour(name string) bool {
	if t.alone == "" || name == t.alone || path.Dir(name) != path.Dir(t.alone) {
		return false
	}
	info, err := t.stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFile {
		return true
	}
	content, err := t.root.ReadFile(name)
	if err != nil || checkText(content) != nil {
		return true
	}
	if _, what := findTooDeep(name, content); what != "" {
		return true
	}
	_, err = parser.ParseFile(name, content)
	return err != nil
}

// overlayEntries returns the entries of a folder that only exist in the overlay.
func (t *tree) overlayEntries(dir string) []fs.DirEntry {
	seen := map[string]bool{}
	var entries []fs.DirEntry
	for name, content := range t.overlay {
		rest := name
		if dir != "." {
			var ok bool
			if rest, ok = strings.CutPrefix(name, dir+"/"); !ok {
				continue
			}
		}
		first, _, deeper := strings.Cut(rest, "/")
		if !seen[first] {
			seen[first] = true
			entries = append(entries, fs.FileInfoToDirEntry(memInfo{name: first, size: len(content), dir: deeper}))
		}
	}
	return entries
}

// read returns the content of a file on disk, within the limits, and records it.
func (t *tree) read(name string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	shown := t.display(name)
	if content, ok := t.files.content[shown]; ok {
		return content, nil
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := t.readAll(f, shown)
	if err != nil {
		return nil, err
	}
	t.record(shown, content)
	return content, nil
}

func (t *tree) readAll(r io.Reader, shown string) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, err)
	}
	if replaced, ok := t.replaced[shown]; ok {
		content = replaced
	}
	if t.total += len(content); len(content) > MaxFile || t.total > maxTotal {
		return nil, fmt.Errorf("%s is %w: the limits are 1 MiB per file and 4 MiB in total", shown, errTooLarge)
	}
	return content, nil
}

// record keeps the content of a file as it is on disk.
func (t *tree) record(shown string, content []byte) {
	t.files.content[shown] = content
}

// checkText returns an error if content is not UTF-8 or contains NUL.
func checkText(content []byte) error {
	if i := bytes.IndexByte(content, 0); i >= 0 {
		return fmt.Errorf("byte %d is NUL", i)
	}
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("byte %d is not UTF-8", i)
		}
		i += size
	}
	return nil
}

// lazyFile is a file on disk that is read on the first call of Read. Files that CUE
// only stats are not read.
type lazyFile struct {
	tree   *tree
	name   string
	info   fs.FileInfo
	reader *bytes.Reader
}

func (f *lazyFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *lazyFile) Close() error               { return nil }

func (f *lazyFile) Read(b []byte) (int, error) {
	if f.reader == nil {
		content, err := f.tree.read(f.name)
		if err != nil {
			return 0, err
		}
		f.reader = bytes.NewReader(content)
	}
	return f.reader.Read(b)
}

// memFile and memDir are files and folders in memory.
type memFile struct {
	info fs.FileInfo
	*bytes.Reader
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *memFile) Close() error               { return nil }

type memDir struct {
	info    fs.FileInfo
	entries []fs.DirEntry
}

func (d *memDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *memDir) Close() error               { return nil }
func (d *memDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: errors.New("is a directory")}
}

func (d *memDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		entries := d.entries
		d.entries = nil
		return entries, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	entries := d.entries[:n]
	d.entries = d.entries[n:]
	return entries, nil
}

type memInfo struct {
	name string
	size int
	dir  bool
}

func (i memInfo) Name() string     { return i.name }
func (i memInfo) Size() int64      { return int64(i.size) }
func (memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool      { return i.dir }
func (memInfo) Sys() any           { return nil }
func (i memInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
