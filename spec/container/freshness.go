package container

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// sourceRecord describes the sources of a spec at the time when it was compiled. Its
// paths are bytes, because strings in JSON must be UTF-8 and paths need not be.
type sourceRecord struct {
	Key   string // Key.hash of the spec
	Files []fileRecord
	Dirs  []dirRecord
}

type fileRecord struct {
	Path []byte
	// Hash is the SHA-256 of the content, in hexadecimal.
	Hash string
	// Stamp is the metadata of the file. If it is unchanged, the content is, unless
	// Racy is true: then the file was so new that a later change may have the same
	// stamp.
	Stamp stamp
	Racy  bool
}

// stamp is the metadata of a file that changes if the file changes.
type stamp struct {
	Size, Modified int64 // in bytes; in nanoseconds since 1970
	Inode          int64 // 0 if the system has no inodes
}

type dirRecord struct {
	Path []byte
	// Hash is the hash of the names in the folder that a loader would read.
	Hash string
}

// record describes the sources of a spec that was just compiled. It returns an error
// if a source has changed since it was compiled.
func record(k Key, content *Container, began time.Time) (*sourceRecord, error) {
	sources, err := content.Sources()
	if err != nil {
		return nil, err
	}
	rec := &sourceRecord{Key: k.hash()}
	if k.Rebuilt {
		return rec, rec.addFile(k.Path)
	}
	for _, s := range sources {
		path := k.absolute(s.Path)
		f := fileRecord{Path: []byte(path), Hash: hashOf(s.Content)}
		// The stamp is read first. A later write then changes the stamp, and an
		// earlier write changes the hash.
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		now, err := hashOfFile(path)
		if err != nil {
			return nil, err
		}
		if now != f.Hash {
			return nil, fmt.Errorf("%s has changed since it was read", path)
		}
		f.Stamp, f.Racy = stampOf(info), time.Since(info.ModTime()) < racy
		rec.Files = append(rec.Files, f)
	}
	for _, dir := range content.Dirs() {
		path := k.absolute(dir)
		d := dirRecord{Path: []byte(path)}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.ModTime().After(began.Add(-slack)) {
			return nil, fmt.Errorf("%s has changed since it was read", path)
		}
		if d.Hash, err = hashOfListing(path); err != nil {
			return nil, err
		}
		rec.Dirs = append(rec.Dirs, d)
	}
	return rec, nil
}

// addFile records the current state of a file, if it exists.
func (rec *sourceRecord) addFile(path string) error {
	if !filepath.IsAbs(path) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	hash, err := hashOfFile(path)
	rec.Files = append(rec.Files, fileRecord{Path: []byte(path), Hash: hash, Stamp: stampOf(info), Racy: time.Since(info.ModTime()) < racy})
	return err
}

// absolute returns the absolute path of a source.
func (k Key) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	if k.Base != "" {
		return filepath.Join(k.Base, filepath.FromSlash(name))
	}
	dir := k.Path
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// holds reports whether all sources are unchanged.
func (rec *sourceRecord) holds() bool {
	for _, f := range rec.Files {
		if !f.holds() {
			return false
		}
	}
	for _, d := range rec.Dirs {
		if hash, err := hashOfListing(string(d.Path)); err != nil || hash != d.Hash {
			return false
		}
	}
	return true
}

func (f fileRecord) holds() bool {
	info, err := os.Stat(string(f.Path))
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if !f.Racy && stampOf(info) == f.Stamp {
		return true
	}
	if info.Size() != f.Stamp.Size {
		return false
	}
	hash, err := hashOfFile(string(f.Path))
	return err == nil && hash == f.Hash
}

func stampOf(info os.FileInfo) stamp {
	return stamp{Size: info.Size(), Modified: info.ModTime().UnixNano(), Inode: inode(info)}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func hashOfFile(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return hashOf(content), nil
}

// hashOfListing returns the hash of the file names in a folder that a loader might
// read. A package changes when a file is added to its folder.
func hashOfListing(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range entries {
		if slices.Contains([]string{".cue", ".json", ".yaml", ".yml"}, filepath.Ext(e.Name())) {
			hashPart(h, []byte(e.Name()))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
