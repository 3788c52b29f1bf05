package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestKey: all who use a folder have one key, whoever asks first; another folder has
// another.
func TestKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	keys := make([][]byte, 32)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			key, err := Open(dir).Key()
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	all.Wait()
	for _, key := range keys {
		if len(key) != keySize || !bytes.Equal(key, keys[0]) {
			t.Errorf("%x and %x", key, keys[0])
		}
	}
	other, err := Open(t.TempDir()).Key()
	if err != nil || bytes.Equal(other, keys[0]) {
		t.Errorf("%x, %v", other, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".new") {
			t.Errorf("%s is left", e.Name())
		}
	}
	path := filepath.Join(dir, keyFile)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if list, err := Open(dir).List(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir).Key(); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
