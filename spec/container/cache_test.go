package container_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
)

// cachedSpec is a spec of two files in a folder, with a cache.
type cachedSpec struct {
	t     *testing.T
	dir   string
	cache container.Cache
	key   container.Key
}

// newCachedSpec returns a spec whose files were written long ago.
func newCachedSpec(t *testing.T) *cachedSpec {
	k := &cachedSpec{t: t, dir: t.TempDir(), cache: container.Cache{Dir: filepath.Join(t.TempDir(), "cache")}}
	k.key = container.Key{Path: filepath.Join(k.dir, "a.cue"), Tool: "v1"}
	k.write("a.cue", "package a", time.Hour)
	k.write("b.cue", "package a // b", time.Hour)
	k.age(".", time.Hour)
	return k
}

func (k *cachedSpec) write(name, content string, age time.Duration) {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.dir, name), []byte(content), 0o600); err != nil {
		k.t.Fatal(err)
	}
	k.age(name, age)
}

func (k *cachedSpec) age(name string, age time.Duration) {
	k.t.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(filepath.Join(k.dir, name), at, at); err != nil {
		k.t.Fatal(err)
	}
}

func (k *cachedSpec) compiled() []byte {
	k.t.Helper()
	content := container.Content{Provider: &spec.Provider{Metadata: spec.Metadata{Name: "a"}}, Dirs: []string{"."}}
	for _, name := range []string{"a.cue", "b.cue"} {
		text, err := os.ReadFile(filepath.Join(k.dir, name))
		if err != nil {
			k.t.Fatal(err)
		}
		content.Sources = append(content.Sources, container.Source{Path: name, Content: text})
	}
	b, err := container.Encode(content)
	if err != nil {
		k.t.Fatal(err)
	}
	return b
}

func (k *cachedSpec) store() {
	k.t.Helper()
	if err := k.cache.Store(k.key, k.compiled(), time.Now()); err != nil {
		k.t.Fatal(err)
	}
}

func (k *cachedSpec) found(key container.Key) bool {
	k.t.Helper()
	c, ok := k.cache.Lookup(key)
	if !ok {
		return false
	}
	p, err := c.Provider()
	if err != nil {
		k.t.Fatal(err)
	}
	if p.Name != "a" {
		k.t.Errorf("the cache gave the spec %q", p.Name)
	}
	if err := c.Close(); err != nil {
		k.t.Error(err)
	}
	return true
}

func TestCacheHoldsUntilASourceChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*cachedSpec)
		want   bool
	}{
		{"nothing", func(*cachedSpec) {}, true},
		{"another file", func(k *cachedSpec) { k.write("notes.txt", "x", 0) }, true},
		{"touched", func(k *cachedSpec) { k.age("a.cue", 0) }, true},
		{"content", func(k *cachedSpec) { k.write("a.cue", "package b", 0) }, false},
		{"content of another source", func(k *cachedSpec) { k.write("b.cue", "package a // x", 0) }, false},
		{"size", func(k *cachedSpec) { k.write("a.cue", "package a // longer", time.Hour) }, false},
		{"a new file", func(k *cachedSpec) { k.write("c.cue", "package a", time.Hour) }, false},
		{"a removed file", func(k *cachedSpec) { os.Remove(filepath.Join(k.dir, "b.cue")) }, false},
		{"a removed folder", func(k *cachedSpec) { os.RemoveAll(k.dir) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newCachedSpec(t)
			k.store()
			tt.change(k)
			if got := k.found(k.key); got != tt.want {
				t.Errorf("found: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestCacheDoesNotTrustYoungFiles writes a file twice with the same time and size, as
// can happen within a tick of the file system's clock.
func TestCacheDoesNotTrustYoungFiles(t *testing.T) {
	k := newCachedSpec(t)
	path := filepath.Join(k.dir, "a.cue")
	at := time.Now()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	k.store()
	if !k.found(k.key) {
		t.Fatal("the young file, unchanged, was not found")
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("package b"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	if k.found(k.key) {
		t.Error("a change within the clock's tick was not noticed")
	}
}

func TestCacheKeys(t *testing.T) {
	k := newCachedSpec(t)
	k.store()
	for name, change := range map[string]func(*container.Key){
		"tags": func(k *container.Key) { k.Tags = []string{"prod"} },
		"tool": func(k *container.Key) { k.Tool = "v2" },
		"path": func(k *container.Key) { k.Path += "x" },
	} {
		other := k.key
		change(&other)
		if k.found(other) {
			t.Errorf("found with other %s", name)
		}
	}
	elsewhere := k.key
	elsewhere.Base = t.TempDir()
	if !k.found(elsewhere) {
		t.Error("not found from another working directory")
	}
}

func TestCacheStoresNoOutdatedSpec(t *testing.T) {
	k := newCachedSpec(t)
	compiled := k.compiled()
	k.write("a.cue", "package b", time.Hour)
	if err := k.cache.Store(k.key, compiled, time.Now()); err == nil {
		t.Error("it kept a spec whose source has changed")
	}
	k = newCachedSpec(t)
	began := time.Now()
	k.age(".", -time.Second)
	if err := k.cache.Store(k.key, k.compiled(), began); err == nil {
		t.Error("it kept a spec whose folder has changed")
	}
}

func TestCacheOfOtherUsersIsNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no modes on windows; run this on a unix")
	}
	k := newCachedSpec(t)
	if err := k.cache.Trusted(); err != nil {
		t.Errorf("a missing cache: %v", err)
	}
	k.store()
	info, err := os.Stat(k.cache.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(os.FileMode(0o700), info.Mode().Perm()); diff != "" {
		t.Errorf("mode of the folder (-want +got):\n%s", diff)
	}
	for _, mode := range []os.FileMode{0o720, 0o702} {
		if err := os.Chmod(k.cache.Dir, mode); err != nil {
			t.Fatal(err)
		}
		if k.found(k.key) || k.cache.Trusted() == nil || k.cache.Store(k.key, k.compiled(), time.Now()) == nil {
			t.Errorf("a folder of mode %o is used", mode)
		}
	}
}

func TestDamagedEntriesAreNotFound(t *testing.T) {
	k := newCachedSpec(t)
	k.store()
	entries, err := filepath.Glob(filepath.Join(k.cache.Dir, "*"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries %v, %v", entries, err)
	}
	whole, err := os.ReadFile(entries[0])
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(entries[0], whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if c, ok := k.cache.Lookup(k.key); ok {
			_, err := c.Provider()
			t.Fatalf("%[2]d of %[1]d bytes are enough (provider: %[3]v)", len(whole), n, err)
		}
	}
}

func TestCacheSweeps(t *testing.T) {
	k := newCachedSpec(t)
	k.store()
	file := func(name string, age time.Duration) string {
		path := filepath.Join(k.cache.Dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, left := file("x.compiled", 40*24*time.Hour), file("new-1", 2*time.Hour)
	foreign, busy := file("mine.txt", 90*24*time.Hour), file("new-2", time.Minute)
	for i := range 120 {
		file(fmt.Sprintf("%d.compiled", i), time.Duration(i+1)*time.Minute)
	}
	k.store()
	for path, want := range map[string]bool{old: false, left: false, foreign: true, busy: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s exists: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
	entries, err := filepath.Glob(filepath.Join(k.cache.Dir, "*.compiled"))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 100 || !k.found(k.key) {
		t.Errorf("%d entries are left, want 100, the newest among them", len(entries))
	}
}

func TestConcurrentStores(t *testing.T) {
	k := newCachedSpec(t)
	compiled := k.compiled()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if err := k.cache.Store(k.key, compiled, time.Now()); err != nil {
					t.Error(err)
				}
				if c, ok := k.cache.Lookup(k.key); !ok {
					t.Error("an entry is missing while others are stored")
				} else if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestDisabledCache(t *testing.T) {
	t.Setenv(container.CacheVariable, "off")
	off := container.Cache{Dir: container.DefaultDir()}
	if off.Dir != "" || off.Trusted() != nil || off.Store(container.Key{}, nil, time.Now()) != nil {
		t.Errorf("the cache is not disabled: %+v", off)
	}
	if _, ok := off.Lookup(container.Key{}); ok {
		t.Error("a cache that is off found something")
	}
	t.Setenv(container.CacheVariable, "/some/where")
	if got := container.DefaultDir(); got != "/some/where" {
		t.Errorf("DefaultDir is %q", got)
	}
}

func TestLookupsInAReadOnlyCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k := newCachedSpec(t)
	k.cache.Dir = filepath.Join(file, "cache")
	if err := k.cache.Store(k.key, k.compiled(), time.Now()); err == nil {
		t.Error("a cache inside a file stored something")
	}
	if k.found(k.key) {
		t.Error("a cache inside a file found something")
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{3, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			path := filepath.Join(dir, "big.cue")
			if err := os.WriteFile(path, []byte("package big"), 0o600); err != nil {
				b.Fatal(err)
			}
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, old, old); err != nil {
				b.Fatal(err)
			}
			compiled, err := container.Encode(container.Content{
				Provider: bigProvider(n),
				Sources:  []container.Source{{Path: "big.cue", Content: []byte("package big")}},
			})
			if err != nil {
				b.Fatal(err)
			}
			cache, key := container.Cache{Dir: filepath.Join(dir, "cache")}, container.Key{Path: path}
			if err := cache.Store(key, compiled, time.Now()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				c, ok := cache.Lookup(key)
				if !ok {
					b.Fatal("not found")
				}
				if err := c.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
