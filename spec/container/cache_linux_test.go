package container_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCacheOfPathsThatAreNotUTF8 checks that the cache holds for a spec with tags and
// a folder that are not UTF-8.
func TestCacheOfPathsThatAreNotUTF8(t *testing.T) {
	k := newCachedSpec(t)
	dir := filepath.Join(k.dir, "a\xff")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	k.dir, k.key.Path, k.key.Tags = dir, filepath.Join(dir, "a.cue"), []string{"who=\xff"}
	k.write("a.cue", "package a", time.Hour)
	k.write("b.cue", "package a // b", time.Hour)
	k.age(".", time.Hour)
	k.store()
	if !k.found(k.key) {
		t.Error("not found")
	}
	other := k.key
	other.Tags = []string{"who=\xfe"}
	if k.found(other) {
		t.Error("found with other tags")
	}
	k.write("b.cue", "package a // c", time.Hour)
	if k.found(k.key) {
		t.Error("found after a source changed")
	}
}
