package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keyFile holds the key of a folder, keySize bytes.
const (
	keyFile = "key"
	keySize = 32
)

// Key returns the secret of the journal's folder, which is made when it is first asked
// for. Hashes of inputs are made with it: without, whoever reads one could guess the
// secrets among them.
func (j *Journal) Key() ([]byte, error) {
	path := filepath.Join(j.dir, keyFile)
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = j.makeKey(path); err == nil {
			key, err = os.ReadFile(path) // or that of another process, which was first
		}
	}
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s has %d bytes, and should have %d: remove it; what is open in the journal is then taken for that of other inputs", path, len(key), keySize)
	}
	if err != nil {
		return nil, fmt.Errorf("the journal's key: %w; %s names another folder", err, variable)
	}
	return key, nil
}

// makeKey makes the file of the key, whole or not at all, unless there is one.
func (j *Journal) makeKey(path string) error {
	if err := j.prepare(); err != nil {
		return err
	}
	temp, err := os.CreateTemp(j.dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	_, err = temp.Write(key)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	err = os.Link(temp.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(temp.Name(), path) // a file system without hard links
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(j.dir)
}
