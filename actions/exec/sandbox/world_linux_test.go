package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
)

const secret = "the secret of another\n"

// world is a place for commands: what they are granted, and what not.
type world struct {
	dir, self, addr, abstract string
	hosts                     []string
	outer                     *exec.Cmd
}

func newWorld(t *testing.T) *world {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dir: dir, self: self, addr: listen(t, "tcp", "127.0.0.1:0"), abstract: listen(t, "unix", "@declprov-"+rand.Text())[1:]}
	for _, folder := range []string{"in", "ro", "out/empty"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range map[string]string{
		"out/secret": secret, "in/file": "write\n", "ro/file": "read\n", "ro/program": "#!/bin/sh\necho ran\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"in/link": "../out/secret", "in/folder": "../out"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	w.outer = exec.Command("sleep", "60")
	w.outer.Env = []string{"TOKEN=" + secret}
	if err := w.outer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.outer.Process.Kill()
		_ = w.outer.Wait()
	})
	return w
}

// listen serves nobody at an address, and is its name.
func listen(t *testing.T, network, addr string) string {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// rules grant what is to be granted.
func (w *world) rules(t *testing.T) *Box {
	t.Helper()
	return w.granting(t, actions.Rule{Access: actions.WriteTo, Pattern: "in/**"}, actions.Rule{Access: actions.Read, Pattern: "ro/**"})
}

func (w *world) granting(t *testing.T, rules ...actions.Rule) *Box {
	t.Helper()
	files, err := actions.NewFiles(w.dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	return boxOf(t, Command{Files: files, Network: networkOf(t, w.hosts...), Programs: []string{"/bin/sh", w.self}})
}

func boxOf(t *testing.T, c Command) *Box {
	t.Helper()
	box, err := Prepare(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(true); err != nil {
			t.Error(err)
		}
	})
	return box
}

// run runs a script, in the box if there is one.
func (w *world) run(t *testing.T, box *Box, script string, env ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.dir, &out, &out
	cmd.Env = append([]string{
		"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + filepath.Join(w.dir, "out"), helperVariable + "=1", "ADDR=" + w.addr, "ABSTRACT=" + w.abstract,
		"IN=" + filepath.Join(w.dir, "in"), "RO=" + filepath.Join(w.dir, "ro"), "OUT=" + filepath.Join(w.dir, "out"),
		"PID=" + strconv.Itoa(w.outer.Process.Pid), "SELF=" + w.self,
		"LAUNCHER=" + strconv.Itoa(os.Getpid()),
	}, env...)
	start := cmd.Start
	if box != nil {
		cmd.Env = box.Environ(cmd.Env, func(string) bool { return false })
		start = func() error { return box.Rules.Within(cmd.Start) }
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	return out.String(), err
}

// outside is what a command may not change: modes and content by path.
func (w *world) outside(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range []string{"out", "ro"} {
		err := filepath.WalkDir(filepath.Join(w.dir, folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			var content []byte
			if e.Type().IsRegular() {
				if content, err = os.ReadFile(path); err != nil {
					return err
				}
			}
			found[strings.TrimPrefix(path, w.dir)] = e.Type().String() + " " + string(content)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// needKernel leaves the test out where the kernel cannot do all of it.
func needKernel(t *testing.T) {
	t.Helper()
	if err := Here().Required(); err != nil {
		t.Skipf("%v: run this on Linux 6.12 or newer with Landlock switched on", err)
	}
}
