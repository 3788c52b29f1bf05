package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
)

const someTemp = ".f.declprov-ABCDEFGHIJKLMNOP"

// TestSweep: a change removes what dead writers left in the folder, and nothing
// that looks like it.
func TestSweep(t *testing.T) {
	others := map[string]string{
		"d/.f.declprov-ABCDEFGHIJKLMNO": "too short", "d/.f.declprov-abcdefghijklmnop": "other letters",
		"d/f.declprov-ABCDEFGHIJKLMNOP": "not hidden", "d/.g" + someTemp + "/x": "a directory's",
		"d/.l" + someTemp: "-> x", "e/" + someTemp: "elsewhere",
	}
	for name, change := range map[string]func(*Files) error{
		"write":   func(f *Files) error { return writeText(f, "d/new", "new", WriteOptions{}) },
		"delete":  func(f *Files) error { return f.Remove(t.Context(), "d/old", false) },
		"mkdir":   func(f *Files) error { _, err := f.Mkdir("d/new", MkdirOptions{}); return err },
		"symlink": func(f *Files) error { return f.Symlink("old", "d/new", SymlinkOptions{}) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
			put(t, dir, others)
			put(t, dir, map[string]string{"d/old": "old", "d/" + someTemp: "half", "d/" + someTemp + linkSuffix: "-> half"})
			if err := change(f); err != nil {
				t.Fatal(err)
			}
			got := tree(t, dir)
			for path := range got {
				if strings.HasPrefix(path, "d/"+someTemp) {
					t.Errorf("%s is left", path)
				}
			}
			for path, content := range others {
				if got[path] != content {
					t.Errorf("%s is %q", path, got[path])
				}
			}
		})
	}
}

// TestSweepSparesTheLiving: the temporary file of a writer that lives stays.
func TestSweepSparesTheLiving(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	living, err := f.newTemp(root, "f", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeText(f, "g", "g", WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"g": "g", living.name: ""}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if names, err := f.ReadDir("."); err != nil || len(names) != 1 {
		t.Errorf("listed: %v, %v", names, err)
	}
	living.close()
	if err := writeText(f, "h", "h", WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"g": "g", "h": "h"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestDeleteEmptyButForLeftovers: a leftover keeps no directory from being
// deleted.
func TestDeleteEmptyButForLeftovers(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	put(t, dir, map[string]string{"d/" + someTemp: "half", "e/x": "x"})
	if err := f.Remove(t.Context(), "d", false); err != nil {
		t.Error(err)
	}
	if err := f.Remove(t.Context(), "e", false); err == nil || !strings.Contains(err.Error(), "set recursive: true") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"e/": "", "e/x": "x"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestSweepsAreSeldomInLargeFolders: a sweep reads no more names per change
// than a constant, on average.
func TestSweepsAreSeldomInLargeFolders(t *testing.T) {
	for names, changes := range map[int]int{0: 1, sweepRatio - 1: 1, 10 * sweepRatio: 11} {
		var s sweeps
		swept := 0
		for range 5 * changes {
			if s.isDue("d") {
				swept++
				s.done("d", names)
			}
		}
		if swept != 5 {
			t.Errorf("%d names: %d sweeps in %d changes, want 5", names, swept, 5*changes)
		}
	}
}

func TestDeletingATreeNeedsAllOfIt(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "d/*"}, grant.Rule{Access: grant.Write, Pattern: "all/**"})
	put(t, dir, map[string]string{"d/sub/x": "x", "all/sub/x": "x", "all/sub/link": "-> DIR/d"})
	if err := f.Remove(t.Context(), "d/sub", true); err == nil || !strings.Contains(err.Error(), "grant of the whole tree") {
		t.Errorf("got %v", err)
	}
	if err := f.Remove(t.Context(), "all/sub", true); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"d/": "", "d/sub/": "", "d/sub/x": "x", "all/": ""}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, files := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("beside %d files", files), func(b *testing.B) {
			dir := b.TempDir()
			for i := range files {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			f, err := New(dir, []grant.Rule{{Access: grant.Write, Pattern: "**"}})
			if err != nil {
				b.Fatal(err)
			}
			content := strings.Repeat("x", 4096)
			for b.Loop() {
				if err := writeText(f, "f", content, WriteOptions{Overwrite: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
