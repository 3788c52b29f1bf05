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
	"sort"
	"strings"
	"time"
)

// Cache stores compiled specs, so that a spec is only evaluated when it changes, and
// not whenever a process starts. The key of an entry is the location of the spec, its
// tags and the tool. An entry is valid while the sources are unchanged.
//
// The contents of a cache are trusted like the spec itself, so its folder must belong
// to the user: see Trusted. The zero Cache is disabled: it finds and stores nothing.
type Cache struct {
	// Dir is created when the first entry is stored.
	Dir string
}

// Key identifies a compiled spec.
type Key struct {
	// Path is the absolute path of the spec's file or folder.
	Path string
	Tags []string
	// Tool distinguishes builds of declprov that may read a spec differently.
	Tool string
	// Base is the absolute path of the folder for relative names of sources, usually
	// the working directory. "" means the folder of the spec. It is used by Store,
	// and is not part of the identity of an entry.
	Base string
	// Rebuilt means that the spec was compiled from the sources in an older
	// container. Then only Path determines whether the entry is valid. A Path that is
	// not absolute identifies content, and such an entry is always valid.
	Rebuilt bool
}

// CacheVariable is the environment variable with the folder of the cache, or "off".
const CacheVariable = "DECLPROV_CACHE"

const (
	entryMagic = "DPCACHE1"
	entryMark  = ".compiled"
	// maxEntries and maxAge limit the size of the cache. A sweep keeps the newest
	// entries.
	maxEntries = 100
	maxAge     = 30 * 24 * time.Hour
	// racy is the minimum age of a file at the time of recording for its modification
	// time to be reliable. A younger file may be written again within one tick of the
	// file system's clock, which is two seconds for FAT.
	racy = 2 * time.Second
	// slack is the maximum difference between the clock of file times and the clock
	// of the process.
	slack = 20 * time.Millisecond
)

// DefaultDir returns the folder of the user's cache. It returns "" if DECLPROV_CACHE
// is "off", or if there is no home directory.
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

// Trusted returns an error if users other than the owner could have written to the
// cache, which is then not used. It returns nil for a cache that is disabled or does
// not exist. Callers print the error as a warning, because everything works without a
// cache, only slower.
func (c Cache) Trusted() error {
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err == nil {
		err = ownedByUser(info)
	}
	if err != nil {
		return fmt.Errorf("the cache %s is ignored: %w; delete it, or set %s to a folder that you own, or to off for no cache", c.Dir, err, CacheVariable)
	}
	return nil
}

// Lookup opens the compiled spec for a key, if there is a valid one. The caller
// closes it.
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
		_ = f.Close() // the file was only read
		return nil, false
	}
	return found, true
}

func openEntry(f *os.File, k Key) (*Container, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	rec, size, err := readRecord(f, info.Size())
	if err != nil {
		return nil, err
	}
	if rec.Key != k.hash() {
		return nil, errors.New("the entry belongs to another spec")
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

// Store stores a compiled spec, as Encode returned it. began is the time when the
// loader began to read the sources. If a source has changed since then, nothing is
// stored, because the compiled spec may be outdated. Errors say why nothing was
// stored, such as a full disk. They belong in the debug log and are not failures.
// Several processes may store concurrently; the last one wins.
func (c Cache) Store(k Key, compiled []byte, began time.Time) error {
	if c.Dir == "" {
		return nil
	}
	head, err := entryHead(k, compiled, began)
	if err == nil {
		err = c.write(k, append(head, compiled...))
	}
	if err != nil {
		return fmt.Errorf("store the compiled spec %s: %w", k.Path, err)
	}
	c.sweep(time.Now())
	return nil
}

// entryHead returns the part of an entry before the container, which describes the
// sources.
func entryHead(k Key, compiled []byte, began time.Time) ([]byte, error) {
	content, err := OpenBytes(compiled)
	if err != nil {
		return nil, err
	}
	rec, err := record(k, content, began)
	if err != nil {
		return nil, err
	}
	text, err := marshal(rec)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32([]byte(entryMagic), uint32(len(text)))
	return append(head, text...), nil
}

// write writes an entry atomically. It does not sync the disk: an entry that a crash
// truncated fails its checksum, and is replaced.
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

// entry returns the path of the entry for a key.
func (c Cache) entry(k Key) string { return filepath.Join(c.Dir, k.hash()[:40]+entryMark) }

// hash returns a hash of what identifies a compiled spec.
func (k Key) hash() string {
	h := sha256.New()
	hashPart(h, []byte(k.Path))
	hashPart(h, []byte(k.Tool))
	for _, t := range k.Tags {
		hashPart(h, []byte(t))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sweep removes old and surplus entries, and files that a crash left. It only touches
// files with names that this package uses, and ignores files that it cannot remove.
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

// readRecord returns the description of the sources in an entry, and its length in
// bytes.
func readRecord(r io.ReaderAt, size int64) (*sourceRecord, int64, error) {
	head := make([]byte, len(entryMagic)+4)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, 0, err
	}
	length := int64(binary.LittleEndian.Uint32(head[len(entryMagic):]))
	if !bytes.HasPrefix(head, []byte(entryMagic)) || length > size-int64(len(head)) {
		return nil, 0, errors.New("it is not a cache entry")
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, int64(len(head))); err != nil {
		return nil, 0, err
	}
	rec := &sourceRecord{}
	return rec, int64(len(head)) + length, unmarshal(text, rec)
}
