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

// recorded is what the cache knows of a spec's sources: how they were when it was
// compiled.
type recorded struct {
	Path, Tool string
	Tags       []string
	Files      []recordedFile
	Dirs       []recordedDir
}

type recordedFile struct {
	Path string
	// Hash is the SHA-256 of the content, in hex.
	Hash string
	// Stamp is what the file system said of the file. It stands for the content
	// unless Racy: then the file was written so shortly before that a later
	// change may have left no trace in it.
	Stamp stamp
	Racy  bool
}

// stamp changes when a file does, as far as file systems tell without reading.
type stamp struct {
	Size, Modified int64 // bytes; nanoseconds since 1970
	Inode          int64 // 0 where the system has none
}

type recordedDir struct {
	Path string
	// Hash is that of the names in it that a loader would look at.
	Hash string
}

// record looks at the sources of a spec that was just compiled. It fails where
// one of them is no longer what was compiled.
func record(k Key, content *Container, began time.Time) (*recorded, error) {
	sources, err := content.Sources()
	if err != nil {
		return nil, err
	}
	rec := &recorded{Path: k.Path, Tool: k.Tool, Tags: k.Tags}
	if k.Rebuilt {
		return rec, rec.addFile(k.Path)
	}
	for _, s := range sources {
		f := recordedFile{Path: k.absolute(s.Path), Hash: hashOf(s.Content)}
		// The stamp first: if the file is written after it, the stamp no longer
		// fits; if before, the hash does not.
		info, err := os.Stat(f.Path)
		if err != nil {
			return nil, err
		}
		now, err := hashOfFile(f.Path)
		if err != nil {
			return nil, err
		}
		if now != f.Hash {
			return nil, fmt.Errorf("%s changed meanwhile", f.Path)
		}
		f.Stamp, f.Racy = stampOf(info), time.Since(info.ModTime()) < racy
		rec.Files = append(rec.Files, f)
	}
	for _, dir := range content.Dirs() {
		d := recordedDir{Path: k.absolute(dir)}
		info, err := os.Stat(d.Path)
		if err != nil {
			return nil, err
		}
		if info.ModTime().After(began.Add(-slack)) {
			return nil, fmt.Errorf("%s changed meanwhile", d.Path)
		}
		if d.Hash, err = hashOfListing(d.Path); err != nil {
			return nil, err
		}
		rec.Dirs = append(rec.Dirs, d)
	}
	return rec, nil
}

// addFile records a file as it is now, where there is one.
func (rec *recorded) addFile(path string) error {
	if !filepath.IsAbs(path) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	hash, err := hashOfFile(path)
	rec.Files = append(rec.Files, recordedFile{Path: path, Hash: hash, Stamp: stampOf(info), Racy: time.Since(info.ModTime()) < racy})
	return err
}

// absolute returns where a source is.
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

// holds reports whether all sources are what they were.
func (rec *recorded) holds() bool {
	for _, f := range rec.Files {
		if !f.holds() {
			return false
		}
	}
	for _, d := range rec.Dirs {
		if hash, err := hashOfListing(d.Path); err != nil || hash != d.Hash {
			return false
		}
	}
	return true
}

func (f recordedFile) holds() bool {
	info, err := os.Stat(f.Path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if !f.Racy && stampOf(info) == f.Stamp {
		return true
	}
	if info.Size() != f.Stamp.Size {
		return false
	}
	hash, err := hashOfFile(f.Path)
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

// hashOfListing covers the names of files that a loader might read: a spec of a
// package changes when a file is added to its folder.
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
