//go:build linux

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/declprov/declprov/actions/grant"
)

// changesToKill are changes of one file each, with what the file d/f may hold
// after them, whenever they were stopped; "" is: it may be absent.
var changesToKill = map[string]struct {
	change func(*Files) error
	after  []string
}{
	"create": {func(f *Files) error { return writeText(f, "d/deep/f", "new", WriteOptions{Parents: true}) }, []string{"old"}},
	"overwrite": {func(f *Files) error {
		return writeText(f, "d/f", "new", WriteOptions{Overwrite: true, Mode: perm(0o600)})
	}, []string{"old", "new"}},
	"link": {func(f *Files) error { return f.Symlink("g", "d/f", SymlinkOptions{Overwrite: true}) }, []string{"old", "-> g"}},
}

// TestHelperChanges makes one change; it is the process of
// TestKillAtEveryCall.
func TestHelperChanges(t *testing.T) {
	dir, what := os.Getenv("FILES_HELPER_DIR"), os.Getenv("FILES_HELPER_CHANGE")
	if dir == "" || what == "" {
		return
	}
	f, err := New(dir, []grant.Rule{{Access: grant.Write, Pattern: "**"}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // calls are counted by thread
	if err := changesToKill[what].change(f); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}

// TestKillAtEveryCall kills a change at its first, second, … system call that
// has to do with files: what is there is whole, and the same change, run again,
// comes to its end and leaves nothing beside it.
func TestKillAtEveryCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is missing: apt-get install strace")
	}
	calls := []string{"openat", "write", "fsync", "fchmod", "flock", "renameat", "renameat2", "symlinkat", "unlinkat", "mkdirat", "getdents64"}
	for name, c := range changesToKill {
		t.Run(name, func(t *testing.T) {
			killed, leftovers := 0, 0
			for _, call := range calls {
				// The test that makes the change does such calls before it too,
				// not always on the same thread: the end is where two runs in a
				// row are not killed any more.
				for n, whole := 1, 0; whole < 2; n++ {
					dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
					put(t, dir, map[string]string{"d/f": "old", "d/g": "g"})
					if !killAt(t, strace, dir, name, call, n) {
						whole++
						continue
					}
					whole = 0
					killed++
					leftovers += checkKilled(t, dir, f, c.change, c.after)
				}
			}
			if leftovers == 0 {
				t.Errorf("%d kills, none of them on the way; the test tests nothing", killed)
			}
		})
	}
}

// killAt makes the change in a process that is killed at its nth call of that
// name, and reports whether it came to that.
func killAt(t *testing.T, strace, dir, change, call string, n int) bool {
	t.Helper()
	inner := helper(t, "TestHelperChanges", dir)
	cmd := exec.Command(strace, append([]string{
		"-f", "-qq", "-o", os.DevNull, "-e", "trace=?" + call,
		"-e", fmt.Sprintf("inject=?%s:signal=KILL:when=%d", call, n),
	}, inner.Args...)...)
	cmd.Env = append(inner.Env, "FILES_HELPER_CHANGE="+change)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() == 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	return err != nil
}

func checkKilled(t *testing.T, dir string, f *Files, change func(*Files) error, after []string) (leftovers int) {
	t.Helper()
	got := tree(t, dir)
	ok := false
	for _, want := range after {
		ok = ok || got["d/f"] == want
	}
	if new := got["d/deep/f"]; !ok || new != "" && new != "new" {
		t.Errorf("after a kill: %q", got)
	}
	for path := range got {
		if temporary().MatchString(filepath.Base(path)) {
			leftovers = 1
		}
	}
	if err := change(f); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Errorf("the change cannot be made any more: %v", err)
	}
	for path := range tree(t, dir) {
		if temporary().MatchString(filepath.Base(path)) {
			t.Errorf("%s is left", path)
		}
	}
	return leftovers
}
