//go:build unix

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
)

// TestBaseReplaced: what is held open of a granted folder is not written to once
// another has its name, and a call that is under way goes on in its own.
func TestBaseReplaced(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "out/**"})
	for i, replace := range []func() error{
		func() error { return os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "moved")) },
		func() error { return os.RemoveAll(filepath.Join(dir, "out")) },
		func() error {
			if err := os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "aside")); err != nil {
				return err
			}
			if err := os.Mkdir(filepath.Join(dir, "elsewhere"), 0o777); err != nil {
				return err
			}
			return os.Symlink("elsewhere", filepath.Join(dir, "out"))
		},
	} {
		if err := writeText(f, "out/f", fmt.Sprint(i), WriteOptions{Parents: true}); err != nil {
			t.Fatal(err)
		}
		if err := replace(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Stat("out/f"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after replacement %d, of the file that went with the folder: %v", i, err)
		}
	}
	if err := writeText(f, "out/f", "last", WriteOptions{Parents: true}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"moved/": "", "moved/f": "0", "aside/": "", "aside/f": "2", "elsewhere/": "", "elsewhere/f": "last", "out": "-> elsewhere",
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestKeptFolders: few folders are held open, however many are used, and none is
// closed under who uses it.
func TestKeptFolders(t *testing.T) {
	dir := t.TempDir()
	k := &keptFolders{}
	open := func(i int) *keptFolder {
		t.Helper()
		base := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(base, 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := k.open(base, base)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := open(0)
	for i := range 3 * mostKeptFolders {
		open(1 + i).release()
	}
	if got := len(k.byBase); got != mostKeptFolders {
		t.Errorf("%d folders are held open, want %d", got, mostKeptFolders)
	}
	if _, err := first.root.Stat("."); err != nil {
		t.Errorf("a folder in use was closed: %v", err)
	}
	first.release()
	if _, err := first.root.Stat("."); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a folder that nobody holds or uses is open: %v", err)
	}
	if last := open(3 * mostKeptFolders); last != k.byBase[filepath.Join(dir, fmt.Sprint(3*mostKeptFolders))] {
		t.Error("a folder that is held open was opened again")
	}
}
