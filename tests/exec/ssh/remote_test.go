package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func stack(t *testing.T, m *machine, more ...string) *pulumitest.Stack {
	t.Helper()
	return pulumitest.New(t, pulumitest.Providers{"remote": provider.Folder(t, "remote", "examples/remote.cue")}, append(m.env(), more...)...)
}

// holds asserts the files in a folder of the machine.
func (m *machine) holds(t *testing.T, want map[string]string) {
	t.Helper()
	got, err := pulumitest.ReadTree(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the machine has (-want +got):\n%s", diff)
	}
}

func TestFileOnAMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	s := stack(t, m)
	file := func(name, content string) string {
		return "resources:\n  f: {type: remote:File, properties: {path: '" + filepath.Join(m.dir, name) + "', content: " + content + "}}\n"
	}
	const tricky = `"it's $HOME\\ \"quoted\"\n"`
	s.Program(file("a", tricky))
	s.Preview("create=1")
	if n := m.logIns(t); n != 0 {
		t.Errorf("a preview has logged in %d times", n)
	}
	s.Up("create=1")
	m.holds(t, map[string]string{"a": "it's $HOME\\ \"quoted\"\n"})
	s.Up("same=1")

	// Somebody changes it there.
	if err := os.WriteFile(filepath.Join(m.dir, "a"), []byte("defaced"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Refresh("update File f")
	s.Up("update=1")
	m.holds(t, map[string]string{"a": "it's $HOME\\ \"quoted\"\n"})
	s.Program(file("a", "new"))
	s.Up("update=1")
	m.holds(t, map[string]string{"a": "new"})
	s.Program(file("b", "new"))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	m.holds(t, map[string]string{"b": "new"})
	if err := os.Remove(filepath.Join(m.dir, "b")); err != nil {
		t.Fatal(err)
	}
	s.Refresh("delete File f")
	s.Up("create=1")
	s.Destroy("delete=1")
	m.holds(t, map[string]string{})
}

func TestImportFromAMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	s := stack(t, m)
	name := filepath.Join(m.dir, "a")
	if err := os.WriteFile(name, []byte("there"), 0o640); err != nil {
		t.Fatal(err)
	}
	s.Import("remote:index:File", "f", name)
	got := s.Recorded("f")
	if got.Inputs["content"] != "there" || got.Inputs["mode"] != "0640" || got.Inputs["path"] != name {
		t.Errorf("imported: %v", got.Inputs)
	}
}

// A file that is there is nobody's to overwrite.
func TestFileThatExists(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	s := stack(t, m)
	name := filepath.Join(m.dir, "a")
	if err := os.WriteFile(name, []byte("somebody's"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Program("resources:\n  f: {type: remote:File, properties: {path: '" + name + "', content: mine}}\n")
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "a exists") || !strings.Contains(said, "exit code 1") {
		t.Errorf("it says:\n%s", said)
	}
	m.holds(t, map[string]string{"a": "somebody's"})
}

func TestReleaseOnAMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	s := stack(t, m)
	s.Write("src/app", "v1")
	s.Write("src/conf/app.conf", "x=1")
	s.Program("resources:\n  r: {type: remote:Release, properties: {path: '" + filepath.Join(m.dir, "app") + "', files: {fn::fileArchive: ./src}}}\n")
	s.Up("create=1")
	m.holds(t, map[string]string{"app/app": "v1", "app/conf/app.conf": "x=1"})
	s.Up("same=1")
	s.Write("src/app", "v2")
	s.Up("update=1")
	m.holds(t, map[string]string{"app/app": "v2", "app/conf/app.conf": "x=1"})
	s.Refresh("same Release r")
	s.Destroy("delete=1")
	m.holds(t, map[string]string{})
}

// A machine that is still booting is waited for.
func TestMachineThatBoots(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s := stack(t, m)
	s.Program("resources:\n  f: {type: remote:File, properties: {path: '" + filepath.Join(m.dir, "a") + "', content: x}}\n")
	booted := make(chan struct{})
	go func() {
		defer close(booted)
		time.Sleep(3 * time.Second)
		m.boot(t)
	}()
	s.Up("create=1")
	<-booted
	m.holds(t, map[string]string{"a": "x"})
}

// Another machine under the same name gets no key, no file and no command.
func TestAnotherMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	_, other := keyPair(t)
	s := stack(t, m, "REMOTE_HOST_KEY="+other)
	s.Program("resources:\n  f: {type: remote:File, properties: {path: '" + filepath.Join(m.dir, "a") + "', content: x}}\n")
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "which is not the one in hostKey") {
		t.Errorf("it says:\n%s", said)
	}
	if n := m.logIns(t); n != 0 {
		t.Errorf("somebody has logged in %d times", n)
	}
	m.holds(t, map[string]string{})
}

// The private key is in no output, log or state.
func TestKeyStaysSecret(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	s := stack(t, m)
	s.Program("resources:\n  f: {type: remote:File, properties: {path: '" + filepath.Join(m.dir, "a") + "', content: x}}\n")
	r := s.Up("create=1", "--debug")
	secret := strings.Split(m.key, "\n")[2]
	for name, text := range map[string]string{"stdout": r.Stdout, "stderr": r.Stderr} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows the key", name)
		}
	}
	err := filepath.WalkDir(s.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s has the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
