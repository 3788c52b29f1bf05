package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
)

const secret = "the secret of another\n"

// world is a place for commands, with granted and other folders.
type world struct {
	dir, self, addr     string
	abstract, datagrams string // abstract sockets, without their @
	hosts               []string
	outer               *exec.Cmd
	user                user
}

// user is the user that runs the commands.
type user struct {
	name string
	// other says that it is the user nobody, and not the user that runs this test.
	other bool
}

// nobody is the id of the user nobody.
const nobody = 65534

func users() []user {
	if os.Getuid() != 0 {
		return []user{{name: "this user"}}
	}
	return []user{{name: "root"}, {name: "another user", other: true}}
}

func (u user) root() bool { return !u.other && os.Getuid() == 0 }

// as makes a command run as the user.
func (u user) as(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if u.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}

// give makes the user the owner of a folder and its contents.
func (u user) give(t *testing.T, dir string) {
	t.Helper()
	if !u.other {
		return
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// everyone is a folder that every user may enter, with a path short enough for socket names.
// t.TempDir is neither.
const everyone = "/tmp"

// tempDir returns a temporary folder that every user may enter.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(everyone, "sandbox-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// helperDir is a folder for a copy of this program that every user may run. TestMain removes
// it.
var helperDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp(everyone, "sandbox-helper-") })

// helperProgram returns the path of the copy.
var helperProgram = sync.OnceValues(func() (string, error) {
	dir, err := helperDir()
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, "helper")
	return copied, errors.Join(os.WriteFile(copied, program, 0o755), os.Chmod(dir, 0o755))
})

func newWorld(t *testing.T) *world {
	t.Helper()
	return user{}.newWorld(t)
}

func (u user) newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(tempDir(t))
	if err != nil {
		t.Fatal(err)
	}
	self, err := helperProgram()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		dir: dir, self: self, user: u, addr: listen(t, "tcp", "127.0.0.1:0"),
		abstract: listen(t, "unix", "@declprov-"+rand.Text())[1:], datagrams: receive(t, "@declprov-"+rand.Text())[1:],
	}
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
	for link, target := range map[string]string{"in/link": "../out/secret", "in/folder": "../out", "out/link": "secret"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	listen(t, "unix", filepath.Join(dir, "out", "socket"))
	u.give(t, dir)
	held, err := os.Open(filepath.Join(dir, "out", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	w.outer = exec.Command("sleep", "60")
	u.as(w.outer)
	w.outer.Dir, w.outer.ExtraFiles = dir, []*os.File{held}
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

// listen listens at an address without accepting connections, and returns the address.
func listen(t *testing.T, network, addr string) string {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// receive opens a datagram socket that nobody reads, and returns its address.
func receive(t *testing.T, addr string) string {
	t.Helper()
	conn, err := net.ListenPacket("unixgram", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}

// openTerminal opens a new terminal.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = controller.Close() })
	fd := int(controller.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return tty
}

// rules returns a box with the usual grants.
func (w *world) rules(t *testing.T) *Box {
	t.Helper()
	return w.granting(t, grant.Rule{Access: grant.Write, Pattern: "in/**"}, grant.Rule{Access: grant.Read, Pattern: "ro/**"})
}

func (w *world) granting(t *testing.T, rules ...grant.Rule) *Box {
	t.Helper()
	files, err := files.New(w.dir, rules)
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

// run runs a script, in the box if it is not nil.
func (w *world) run(t *testing.T, box *Box, script string, env ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.dir, &out, &out
	cmd.Env = append([]string{
		"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + filepath.Join(w.dir, "out"), helperVariable + "=1", hasty, "ADDR=" + w.addr, "ABSTRACT=" + w.abstract, "DATAGRAMS=" + w.datagrams,
		"IN=" + filepath.Join(w.dir, "in"), "RO=" + filepath.Join(w.dir, "ro"), "OUT=" + filepath.Join(w.dir, "out"),
		"PID=" + strconv.Itoa(w.outer.Process.Pid), "SELF=" + w.self,
		"LAUNCHER=" + strconv.Itoa(os.Getpid()),
	}, env...)
	cmd.ExtraFiles = []*os.File{openTerminal(t)}
	w.user.as(cmd)
	start := cmd.Start
	if box != nil {
		w.user.give(t, box.Scratch)
		cmd.Env = box.Environ(cmd.Env, func(string) bool { return false })
		start = func() error { return box.Rules.StartConfined(cmd.Start) }
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	return out.String(), err
}

// outside returns the modes and contents of the files that a command must not change, by
// path.
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

// needKernel skips the test if the kernel does not support the whole sandbox.
func needKernel(t *testing.T) {
	t.Helper()
	if err := CurrentKernel().Required(); err != nil {
		t.Skipf("%v: run this on Linux 6.12 or newer with Landlock enabled", err)
	}
}
