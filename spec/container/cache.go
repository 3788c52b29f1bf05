package container

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// Cache keeps compiled specs, so that a spec is evaluated when it changes and
// not when a process starts. An entry is found by where the spec lies, its tags
// and the tool, and holds for as long as the sources are what they were.
//
// What is in a cache is trusted as the spec itself is, so its folder has to be
// the user's own: see Trusted. The zero Cache is off: it finds and keeps nothing.
type Cache struct {
	// Dir is made when the first entry is stored.
	Dir string
}

// Key says which compiled spec is meant.
type Key struct {
	// Path is the spec's file or folder, absolute.
	Path string
	Tags []string
	// Tool tells apart builds of declprov that may read a spec differently.
	Tool string
	// Base is the folder, absolute, that relative names of sources start at,
	// usually the working directory; "" is the spec's own. It is for Store, and
	// no part of what an entry is found by.
	Base string
	// Rebuilt says that the spec was compiled from what an older container has:
	// Path, and nothing else, decides whether the entry holds. A Path that is no
	// absolute one stands for its content, and always holds.
	Rebuilt bool
}

// CacheVariable is the environment variable that says where the cache is, or
// "off".
const CacheVariable = "DECLPROV_CACHE"

const (
	entryMagic = "DPCACHE1"
	entryMark  = ".compiled"
	// maxEntries and maxAge bound what stays; a sweep keeps the newest.
	maxEntries = 100
	maxAge     = 30 * 24 * time.Hour
	// racy is how close to its recording a file's time may be before the time
	// proves nothing: the file may have been written again within one tick of
	// the file system's clock. Two seconds are FAT's.
	racy = 2 * time.Second
	// slack is how far the clock of file times may be behind the process's.
	slack = 20 * time.Millisecond
)

// DefaultDir returns the folder of the cache for this user, or "" where there is to be
// none: DECLPROV_CACHE is "off", or there is no home.
func DefaultDir() string {
	switch dir := os.Getenv(CacheVariable); dir {
	case "off":
		return ""
	case "":
	default:
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "declprov")
}

// Trusted says why the cache is not used, if others than the user could have
// written to it. It is nil for a cache that is off or not there yet. The caller
// shows it as a warning: everything works without a cache, only slower.
func (c Cache) Trusted() error {
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	if err == nil {
		err = ownedByUser(info)
	}
	if err != nil {
		return fmt.Errorf("the cache %s is not used: %w; delete it, or set %s to a folder of your own or to off", c.Dir, err, CacheVariable)
	}
	return nil
}

// Lookup opens the compiled spec of that key, if there is one that still holds.
// The caller closes it.
func (c Cache) Lookup(k Key) (*Container, bool) {
	if c.Dir == "" || c.Trusted() != nil {
		return nil, false
	}
	f, _, err := openRegular(c.entry(k))
	if err != nil {
		return nil, false
	}
	found, err := openEntry(f, k)
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, false
	}
	return found, true
}

func openEntry(f *os.File, k Key) (*Container, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	shapes := &shapes{}
	rec, size, err := readRecord(f, info.Size(), shapes)
	if err != nil {
		return nil, err
	}
	if rec.Path != k.Path || rec.Tool != k.Tool || !slices.Equal(rec.Tags, k.Tags) {
		return nil, errors.New("it is another spec's")
	}
	if !rec.holds() {
		return nil, errors.New("the sources changed")
	}
	c, err := Open(io.NewSectionReader(f, size, info.Size()-size), info.Size()-size)
	if err != nil {
		return nil, err
	}
	c.closer = f
	return c, nil
}

// Store keeps a compiled spec, as Encode gave it, under the key. began is when the loader began to
// read the sources: what changed since is not what was compiled, and is not
// kept. Errors say why nothing was kept (a full or read-only disk, say); they are
// for the debug log, and never a reason to fail. Several processes may store at
// once; the last one wins.
func (c Cache) Store(k Key, compiled []byte, began time.Time) error {
	if c.Dir == "" {
		return nil
	}
	head, err := entryHead(k, compiled, began)
	if err == nil {
		err = c.write(k, append(head, compiled...))
	}
	if err != nil {
		return fmt.Errorf("keep the compiled spec %s: %w", k.Path, err)
	}
	c.sweep(time.Now())
	return nil
}

// entryHead returns what an entry has before the container: how the sources are.
func entryHead(k Key, compiled []byte, began time.Time) ([]byte, error) {
	content, err := OpenBytes(compiled)
	if err != nil {
		return nil, err
	}
	rec, err := record(k, content, began)
	if err != nil {
		return nil, err
	}
	text, err := (&writer{shapes: &shapes{}}).blob(rec)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32([]byte(entryMagic), uint32(len(text)))
	return append(head, text...), nil
}

// write puts an entry in its place, whole or not at all. It does not wait for the
// disk: an entry that a crash cuts short fails its checksum, and is made anew.
func (c Cache) write(k Key, entry []byte) error {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	if err := c.Trusted(); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.Dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(entry)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), c.entry(k))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (c Cache) entry(k Key) string {
	h := sha256.New()
	hashPart(h, []byte(k.Path))
	hashPart(h, []byte(k.Tool))
	for _, t := range k.Tags {
		hashPart(h, []byte(t))
	}
	return filepath.Join(c.Dir, hex.EncodeToString(h.Sum(nil))[:40]+entryMark)
}

// sweep removes what is old or too much, and what a crash left. It touches only
// files that this package names so, and what it cannot remove it leaves.
func (c Cache) sweep(now time.Time) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return
	}
	type aged struct {
		name string
		time time.Time
	}
	var kept []aged
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		age := now.Sub(info.ModTime())
		switch ours := strings.HasSuffix(e.Name(), entryMark); {
		case ours && age <= maxAge:
			kept = append(kept, aged{e.Name(), info.ModTime()})
		case ours, strings.HasPrefix(e.Name(), "new-") && age > time.Hour:
			_ = os.Remove(filepath.Join(c.Dir, e.Name()))
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[j].time.Before(kept[i].time) })
	for _, old := range kept[min(len(kept), maxEntries):] {
		_ = os.Remove(filepath.Join(c.Dir, old.name))
	}
}

// readRecord reads what an entry says of its sources, and how many bytes that
// takes.
func readRecord(r io.ReaderAt, size int64, shapes *shapes) (*recorded, int64, error) {
	head := make([]byte, len(entryMagic)+4)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, 0, err
	}
	length := int64(binary.LittleEndian.Uint32(head[len(entryMagic):]))
	if !bytes.HasPrefix(head, []byte(entryMagic)) || length > size-int64(len(head)) {
		return nil, 0, errors.New("it is no entry")
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, int64(len(head))); err != nil {
		return nil, 0, err
	}
	rec := &recorded{}
	rd := reader{shapes: shapes, text: string(text)}
	return rec, int64(len(head)) + length, rd.into(rec)
}
