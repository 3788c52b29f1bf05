//go:build unix

package files

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions/grant"
)

func TestWriteModes(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	for _, tc := range []struct {
		name   string
		before fs.FileMode
		given  *fs.FileMode
		want   fs.FileMode
	}{
		{"new", 0, nil, 0o640},
		{"new, exact", 0, perm(0o777), 0o777},
		{"new, private", 0, perm(0o400), 0o400},
		{"kept", 0o606, nil, 0o606},
		{"changed", 0o606, perm(0o644), 0o644},
		{"nothing", 0, perm(0), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
			path := filepath.Join(dir, "f")
			if tc.before != 0 {
				put(t, dir, map[string]string{"f": "old"})
				if err := os.Chmod(path, tc.before); err != nil {
					t.Fatal(err)
				}
			}
			told, err := f.Write(context.Background(), "f", strings.NewReader("new"), WriteOptions{Mode: tc.given, Overwrite: true})
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != tc.want || told.Mode() != tc.want {
				t.Errorf("got %v, told %v, want %v", info.Mode(), told.Mode(), tc.want)
			}
		})
	}
}

// TestOwner: a replaced file keeps its owner. Who is not root has only files of
// its own to show it with.
func TestOwner(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	put(t, dir, map[string]string{"f": "old"})
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 1234, 2345
	}
	if err := os.Chown(filepath.Join(dir, "f"), uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := writeText(f, "f", "new", WriteOptions{Overwrite: true, Mode: perm(0o640)}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != uid || int(owner.Gid) != gid || info.Mode() != 0o640 {
		t.Errorf("owner %d:%d, mode %v", owner.Uid, owner.Gid, info.Mode())
	}
}

// TestDevices: what is no file is neither opened nor replaced.
func TestDevices(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if _, _, err := f.Open("pipe"); err == nil || !strings.Contains(err.Error(), "expected a file, got a named pipe") {
		t.Errorf("open: %v", err)
	}
	if err := writeText(f, "pipe", "x", WriteOptions{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "expected a file, got a named pipe") {
		t.Errorf("write: %v", err)
	}
	if err := f.Remove(context.Background(), "pipe", false); err != nil {
		t.Errorf("remove: %v", err)
	}
}

// helper starts this test binary again, to run one test as a process of its own
// that can be killed or limited.
func helper(t *testing.T, test, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.count=1")
	// A binary that looks for races waits a second at its end, unless told.
	cmd.Env = append(os.Environ(), "FILES_HELPER_DIR="+dir, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// contents are what the helper writes in turn: each is whole, or it is wrong.
var contents = []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}

// TestHelperWrites changes files for ever; it is the process that TestKill
// kills.
func TestHelperWrites(t *testing.T) {
	dir := os.Getenv("FILES_HELPER_DIR")
	if dir == "" {
		return
	}
	f, err := New(dir, []grant.Rule{{Access: grant.Write, Pattern: "**"}})
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("ready\n")
	for i := 0; ; i++ {
		err := errors.Join(
			writeText(f, "d/f", contents[i%2], WriteOptions{Overwrite: true}),
			writeText(f, "d/new", contents[i%2], WriteOptions{}),
			f.Symlink("f", "d/link", SymlinkOptions{Overwrite: true}),
			f.Remove(context.Background(), "d/new", false),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestKill kills a writer at random moments: a file is always whole, and the
// next change in the folder removes what was left.
func TestKill(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	put(t, dir, map[string]string{"d/f": contents[0]})
	leftovers := 0
	// A test binary that looks for races takes long to start.
	end := time.Now().Add(10 * time.Second)
	for i := 0; i < kills && (i < 20 || time.Now().Before(end)); i++ {
		killOne(t, dir)
		for path, content := range tree(t, dir) {
			name := filepath.Base(path)
			switch {
			case temporary().MatchString(name):
				leftovers++
			case (name == "f" || name == "new") && content != contents[0] && content != contents[1]:
				t.Fatalf("%s is torn: %d bytes", path, len(content))
			}
		}
		if err := f.Remove(context.Background(), "d/new", false); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		got := tree(t, dir)
		delete(got, "d/link") // which is or is not there yet
		if len(got) != 2 || got["d/f"] == "" {
			t.Fatalf("left after the next change: %q", keys(got))
		}
	}
	if leftovers == 0 {
		t.Errorf("%d kills met no write on its way; the test tests nothing", kills)
	}
}

func killOne(t *testing.T, dir string) {
	t.Helper()
	cmd := helper(t, "TestHelperWrites", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the helper said %q, %v", line, err)
	}
	time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
	cmd.Process.Kill()
	cmd.Wait()
}

func keys(m map[string]string) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	return all
}

// TestHelperLimited writes more than it may; it is the process of
// TestDiskFull.
func TestHelperLimited(t *testing.T) {
	dir := os.Getenv("FILES_HELPER_DIR")
	if dir == "" {
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 10_000, Max: 10_000}); err != nil {
		t.Fatal(err)
	}
	f, err := New(dir, []grant.Rule{{Access: grant.Write, Pattern: "**"}})
	if err != nil {
		t.Fatal(err)
	}
	for path, opts := range map[string]WriteOptions{"f": {Overwrite: true}, "a/b/new": {Parents: true}} {
		err := writeText(f, path, contents[0], opts)
		var changed *ChangedError
		if !errors.Is(err, syscall.EFBIG) || errors.As(err, &changed) {
			t.Errorf("%s: got %v, want a refusal because of the size", path, err)
		}
	}
}

// TestDiskFull: where the disk takes no more, everything is as before. A limit
// on the size of files stands in for a full disk, which needs a disk.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"f": "old"})
	if out, err := helper(t, "TestHelperLimited", dir).Output(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(map[string]string{"f": "old"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestSwaps: while somebody swaps folders and files for links that lead out,
// nothing outside is read or changed.
func TestSwaps(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "open/**"}, grant.Rule{Access: grant.Write, Pattern: "narrow/*.txt"})
	put(t, dir, map[string]string{
		"secret/f": "secret", "open/d/f": "open", "open/evil": "-> ../secret",
		"narrow/a.txt": "open", "narrow/a.key": "secret", "narrow/evil": "-> a.key", "open/file": "open", "open/evilfile": "-> ../secret/f",
	})
	stop, done := make(chan struct{}), make(chan struct{})
	go swap(dir, stop, done)
	before := tree(t, filepath.Join(dir, "secret"))
	reads := map[string]int{}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		for _, path := range []string{"open/d/f", "narrow/a.txt", "open/file"} {
			reads[readAll(t, f, path)]++
			if err := writeText(f, path, "open", WriteOptions{Overwrite: true}); err != nil {
				reads["failed write"]++
			}
		}
		writeText(f, "open/d/n", "x", WriteOptions{})
		f.Remove(context.Background(), "open/d/n", false)
	}
	close(stop)
	<-done
	if diff := cmp.Diff(before, tree(t, filepath.Join(dir, "secret"))); diff != "" {
		t.Error(diff)
	}
	if key, _ := os.ReadFile(filepath.Join(dir, "narrow/a.key")); string(key) != "secret" {
		t.Errorf("narrow/a.key is %q", key)
	}
	if reads["secret"] > 0 || reads["open"] == 0 || reads[""] == 0 {
		t.Errorf("read: %v", reads)
	}
}

func readAll(t *testing.T, f *Files, path string) string {
	file, info, err := f.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text := make([]byte, info.Size())
	n, _ := file.Read(text)
	return string(text[:n])
}

// swap exchanges good and evil names until it is stopped.
func swap(dir string, stop, done chan struct{}) {
	defer close(done)
	pairs := [][2]string{{"open/d", "open/evil"}, {"narrow/a.txt", "narrow/evil"}, {"open/file", "open/evilfile"}}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
			p := pairs[i%len(pairs)]
			good, evil := filepath.Join(dir, p[0]), filepath.Join(dir, p[1])
			os.Rename(good, good+".aside")
			os.Rename(evil, good)
			time.Sleep(time.Duration(rand.IntN(20)) * time.Microsecond)
			os.Rename(good, evil)
			os.Rename(good+".aside", good)
		}
	}
}
