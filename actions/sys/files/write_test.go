package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
)

func perm(mode fs.FileMode) *fs.FileMode { return &mode }

// TestWriteOver: what may be replaced, and what is said where it may not.
func TestWriteOver(t *testing.T) {
	before := map[string]string{"file": "old", "dir/": "", "dir/x": "x", "link": "-> file", "dirlink": "-> dir"}
	for _, tc := range []struct {
		path  string
		opts  WriteOptions
		after map[string]string // what differs
		err   string
	}{
		{"file", WriteOptions{}, nil, "overwrite: true"},
		{"file", WriteOptions{Overwrite: true}, map[string]string{"file": "new"}, ""},
		{"dir", WriteOptions{Overwrite: true}, nil, "it is a directory"},
		{"dir", WriteOptions{}, nil, "it is a directory"},
		{".", WriteOptions{Overwrite: true}, nil, "it is a directory"},
		{"link", WriteOptions{}, nil, "overwrite: true"},
		{"link", WriteOptions{Overwrite: true}, map[string]string{"file": "new"}, ""},
		{"dirlink", WriteOptions{Overwrite: true}, nil, "it is a directory"},
		{"dirlink/x", WriteOptions{Overwrite: true}, map[string]string{"dir/x": "new"}, ""},
		{"file/x", WriteOptions{Parents: true}, nil, "not a folder"},
		{"no/x", WriteOptions{}, nil, "set parents: true"},
		{"a/b/c", WriteOptions{Parents: true}, map[string]string{"a/": "", "a/b/": "", "a/b/c": "new"}, ""},
	} {
		t.Run(fmt.Sprintf("%s overwrite %v", tc.path, tc.opts.Overwrite), func(t *testing.T) {
			dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
			put(t, dir, map[string]string{"file": "old", "dir/x": "x", "link": "-> file", "dirlink": "-> dir"})
			want := map[string]string{}
			for _, m := range []map[string]string{before, tc.after} {
				for k, v := range m {
					want[k] = v
				}
			}
			err := writeText(f, tc.path, "new", tc.opts)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %v, want %q", err, tc.err)
			}
			if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A path that leads through a file is not helped by making folders.
func TestFileOnTheWay(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	put(t, dir, map[string]string{"file": "old"})
	err := writeText(f, "file/x", "new", WriteOptions{Parents: true})
	if err == nil || strings.Contains(err.Error(), "parents") {
		t.Errorf("%v", err)
	}
}

// TestHardLinks: replacing one name of a file leaves the other names alone.
func TestHardLinks(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "open/**"})
	put(t, dir, map[string]string{"secret": "secret", "open/x": ""})
	if err := os.Link(filepath.Join(dir, "secret"), filepath.Join(dir, "open/hard")); err != nil {
		t.Fatal(err)
	}
	if err := writeText(f, "open/hard", "evil", WriteOptions{Overwrite: true, Mode: perm(0o666)}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"secret": "secret", "open/": "", "open/x": "", "open/hard": "evil"}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if info, _ := os.Stat(filepath.Join(dir, "secret")); info.Mode().Perm() != 0o644 {
		t.Errorf("the other name's mode is %v", info.Mode())
	}
}

// TestFailpoints fails every step of every change, and sees that an error which
// claims that nothing changed is right.
func TestFailpoints(t *testing.T) {
	ctx := context.Background()
	changes := map[string]func(*Files) error{
		"create": func(f *Files) error {
			return writeText(f, "new/deep/f", "new", WriteOptions{Parents: true, Mode: perm(0o600)})
		},
		"overwrite": func(f *Files) error { return writeText(f, "d/f", "new", WriteOptions{Overwrite: true}) },
		"mkdir": func(f *Files) error {
			_, err := f.Mkdir("new/deep/d", MkdirOptions{Parents: true, Mode: perm(0o700)})
			return err
		},
		"symlink":           func(f *Files) error { return f.Symlink("../d/f", "new/l", SymlinkOptions{Parents: true}) },
		"symlink over":      func(f *Files) error { return f.Symlink("f", "d/l", SymlinkOptions{Overwrite: true}) },
		"delete":            func(f *Files) error { return f.Remove(ctx, "d/f", false) },
		"delete empty":      func(f *Files) error { return f.Remove(ctx, "empty", false) },
		"delete a tree":     func(f *Files) error { return f.Remove(ctx, "d", true) },
		"write, base to be": func(f *Files) error { return writeText(f, "base/x/f", "new", WriteOptions{Parents: true}) },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			for fail := 0; ; fail++ {
				dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "d/**"}, grant.Rule{Access: grant.Write, Pattern: "new/**"}, grant.Rule{Access: grant.Write, Pattern: "empty"}, grant.Rule{Access: grant.Write, Pattern: "base/x/**"})
				put(t, dir, map[string]string{"d/a": "a", "d/f": "old", "d/l": "-> a", "d/sub/s": "s", "empty/x": ""})
				os.Remove(filepath.Join(dir, "empty/x"))
				before := tree(t, dir)
				count, failed := 0, ""
				f.hook = func(step string) error {
					count++
					if count == fail {
						failed = step
						return syscall.EIO
					}
					return nil
				}
				err := change(f)
				if fail > 0 && failed == "" {
					return
				}
				checkFailpoint(t, failed, err, before, tree(t, dir))
			}
		})
	}
}

func checkFailpoint(t *testing.T, failed string, err error, before, after map[string]string) {
	t.Helper()
	var changed *ChangedError
	switch {
	case failed == "":
		if err != nil || cmp.Equal(before, after) {
			t.Errorf("it does nothing: %v", err)
		}
	case !errors.Is(err, syscall.EIO):
		t.Errorf("%s: got %v, want the failure", failed, err)
	case !errors.As(err, &changed):
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s: claims that nothing changed:\n%s", failed, diff)
		}
	}
	for path := range after {
		if temporary().MatchString(filepath.Base(path)) {
			t.Errorf("%s: leaves %s", failed, path)
		}
	}
}

func TestWriteSourceFails(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	put(t, dir, map[string]string{"f": "old"})
	src := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), iotest.ErrReader(errors.New("the source broke")))
	_, err := f.Write(context.Background(), "f", src, WriteOptions{Overwrite: true})
	if err == nil || err.Error() != `write "f": read the content to write: the source broke` {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the deadline passed"))
	if _, err := f.Write(ctx, "a/f", strings.NewReader("x"), WriteOptions{Parents: true}); err == nil || !strings.Contains(err.Error(), "the deadline passed") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"f": "old"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestOneCreator: of many who create a file, one succeeds.
func TestOneCreator(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	var won, lost atomic.Int32
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			err := writeText(f, "a/b/f", fmt.Sprint(i), WriteOptions{Parents: true})
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, fs.ErrExist):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 || lost.Load() != 63 {
		t.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
	if got := tree(t, dir); len(got) != 3 {
		t.Errorf("left: %v", got)
	}
}

// TestLinkNew: where the system cannot rename without replacing, a second name
// does the same.
func TestLinkNew(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"tmp": "new", "taken": "old"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := linkNew(root, "tmp", "taken"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if err := linkNew(root, "tmp", "free"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"taken": "old", "free": "new"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestReadersSeeWhole: a reader never sees a part of a file, nor none.
func TestReadersSeeWhole(t *testing.T) {
	_, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	contents := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<17)}
	if err := writeText(f, "f", contents[0], WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	stop := time.After(300 * time.Millisecond)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				if err := writeText(f, "f", contents[i%2], WriteOptions{Overwrite: true}); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		file, _, err := f.Open("f")
		if err != nil {
			t.Error(err)
			break
		}
		got, err := io.ReadAll(file)
		file.Close()
		if err != nil || string(got) != contents[0] && string(got) != contents[1] {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	<-done
}

// TestBaseComesAndGoes: a granted folder that is removed and made again between
// two calls is found again.
func TestBaseComesAndGoes(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "out/**"})
	for range 3 {
		if err := writeText(f, "out/f", "x", WriteOptions{Parents: true}); err != nil {
			t.Fatal(err)
		}
		if err := f.Remove(context.Background(), "out", true); err != nil {
			t.Fatal(err)
		}
	}
	if got := tree(t, dir); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// TestParentsTakenBack: who fails takes back the folders it made, and makes
// nobody fail who writes there at the same time.
func TestParentsTakenBack(t *testing.T) {
	for range 20 {
		dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "base/**"})
		var group sync.WaitGroup
		for i := range 32 {
			group.Go(func() {
				if i%2 == 0 {
					f.Write(t.Context(), fmt.Sprintf("base/a/b/%d", i), iotest.ErrReader(errors.New("broken")), WriteOptions{Parents: true})
				} else if err := writeText(f, fmt.Sprintf("base/a/b/%d", i), "x", WriteOptions{Parents: true}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := len(tree(t, dir)); got != 3+16 {
			t.Fatalf("%d files and folders, want 19", got)
		}
	}
}

// A file that a create made, and that nobody has touched since, is the create's
// own; any other is an error.
func TestMark(t *testing.T) {
	dir := t.TempDir()
	f, err := New(dir, []grant.Rule{{Access: grant.Write, Pattern: "**"}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(content, mark string) error {
		_, err := f.Write(t.Context(), "a", strings.NewReader(content), WriteOptions{Mark: mark})
		return err
	}
	if err := write("one", "m1"); err != nil {
		t.Fatal(err)
	}
	if probe, err := os.Open(filepath.Join(dir, "a")); err != nil || getMark(probe) == "" {
		t.Skip("this file system has no extended attributes: a create that was killed finds its file in its way")
	}
	if err := write("one", "m1"); err != nil {
		t.Errorf("the same create, run again: %v", err)
	}
	if err := write("one", "m2"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another create's file: %v", err)
	}
	if err := write("one", ""); !errors.Is(err, fs.ErrExist) {
		t.Errorf("no create at all: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write("one", "m1"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that somebody has edited: %v", err)
	}
}
