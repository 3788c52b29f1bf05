package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keyFile contains the secret key of a folder, which has keySize bytes.
const (
	keyFile = "key"
	keySize = 32
)

// Key returns the secret key of the journal's folder. The first call creates it.
// Hashes of inputs depend on it; otherwise anybody who reads a hash could guess the
// secrets in the inputs.
func (j *Journal) Key() ([]byte, error) {
	path := filepath.Join(j.dir, keyFile)
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = j.createKey(path); err == nil {
			key, err = os.ReadFile(path) // or the key of another process, which was faster
		}
	}
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s has %d bytes, expected %d; delete it, and the open intents in the journal will not match their inputs any more", path, len(key), keySize)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the journal's key: %w; %s", err, advice(err))
	}
	return key, nil
}

// createKey creates the file of the key atomically, unless it exists.
func (j *Journal) createKey(path string) error {
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
