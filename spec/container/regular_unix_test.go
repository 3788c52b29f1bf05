//go:build unix

package container

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesDoNotBlock checks that a named pipe in the place of a compiled spec is an
// error, and in the place of a cache entry counts as no entry.
func TestPipesDoNotBlock(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cache, key := Cache{Dir: dir}, Key{Path: filepath.Join(dir, "a.cue")}
	if err := syscall.Mkfifo(cache.entry(key), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, found := cache.Lookup(key); found {
		t.Error("a pipe is an entry")
	}
	if _, err := OpenFile(cache.entry(key)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error is %v", err)
	}
}
