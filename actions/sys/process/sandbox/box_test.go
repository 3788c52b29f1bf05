package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
)

func boxWith(t *testing.T, dir string, changes bool, rules ...grant.Rule) *Box {
	t.Helper()
	files, err := files.New(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	box, err := Prepare(context.Background(), Command{Files: files, Network: networkOf(t), Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func TestEnviron(t *testing.T) {
	home := t.TempDir()
	env := []string{"PATH=/bin", "HOME=" + home, "TMPDIR=/tmp"}
	for _, tc := range []struct {
		name    string
		granted string
		own     map[string]bool
		want    []string
	}{
		{"nothing of home", "elsewhere/**", nil, []string{"HOME=SCRATCH", "PATH=/bin", "TMPDIR=SCRATCH"}},
		{"a file of home", home + "/.config", nil, []string{"HOME=" + home, "PATH=/bin", "TMPDIR=SCRATCH"}},
		{"the parent of home", filepath.Dir(home) + "/**", nil, []string{"HOME=" + home, "PATH=/bin", "TMPDIR=SCRATCH"}},
		{"variables of its own", "elsewhere/**", map[string]bool{"HOME": true, "TMPDIR": true}, []string{"HOME=" + home, "PATH=/bin", "TMPDIR=/tmp"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			box := boxWith(t, t.TempDir(), false, grant.Rule{Access: grant.Read, Pattern: tc.granted})
			defer box.Close(true)
			got := box.Environ(env, func(name string) bool { return tc.own[name] })
			for i := range got {
				for _, name := range []string{"HOME=", "TMPDIR="} {
					if got[i] == name+box.Scratch {
						got[i] = name + "SCRATCH"
					}
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFoldersThatAreMade(t *testing.T) {
	for _, tc := range []struct {
		name                    string
		changes, worked, filled bool
		while, after            bool
	}{
		{"a command without effects", false, true, false, false, false},
		{"a successful command", true, true, false, true, true},
		{"a failed command", true, false, false, true, false},
		{"a failed command that left a file", true, false, true, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			box := boxWith(t, dir, tc.changes, grant.Rule{Access: grant.Write, Pattern: "a/b/**"},
				grant.Rule{Access: grant.Write, Pattern: "a/c"}, grant.Rule{Access: grant.Read, Pattern: "r/**"})
			there := func(name string) bool {
				_, err := os.Lstat(filepath.Join(dir, name))
				return err == nil
			}
			if there("a/b") != tc.while || there("a/c") || there("r") {
				t.Errorf("while it runs: a/b %v, a/c %v, r %v; want %v, false, false", there("a/b"), there("a/c"), there("r"), tc.while)
			}
			if tc.filled {
				if err := os.WriteFile(filepath.Join(dir, "a", "b", "f"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := box.Close(tc.worked); err != nil {
				t.Fatal(err)
			}
			if there("a/b") != tc.after || there("a") != tc.after {
				t.Errorf("after it ended: a %v, a/b %v, want %v", there("a"), there("a/b"), tc.after)
			}
		})
	}
}

func TestScratchIsPrivateAndRemoved(t *testing.T) {
	box := boxWith(t, t.TempDir(), false)
	info, err := os.Stat(box.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	closed := filepath.Join(box.Scratch, "a", "b")
	if err := os.MkdirAll(closed, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(closed, "f"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{closed, filepath.Dir(closed)} {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := box.Close(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(box.Scratch); !os.IsNotExist(err) {
		t.Errorf("the scratch folder was not removed: %v", err)
	}
}
