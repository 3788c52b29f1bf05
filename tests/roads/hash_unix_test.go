//go:build unix

package roads

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
)

// workshop is where and as whom somebody packages a spec.
type workshop struct {
	// folder is the folder of the spec below the workshop, and from the working directory.
	folder, from string
	// age is the age of the files.
	age time.Duration
	// other means another user, where this process may become one.
	other bool
	umask string
	env   []string
}

// archived is a spec by its files, relative to its folder, with the arguments of package.
type archived struct {
	files map[string]string
	args  []string
	// small packages a small program instead of declprov, which takes seconds to compress.
	small bool
}

// TestOneHash checks that archives of the same spec are the same, byte for byte: in two folders, at
// two times, for two users.
func TestOneHash(t *testing.T) {
	t.Parallel()
	elsewhere := workshop{
		folder: "elsewhere/deeper", from: "x/y", age: 20 * 365 * 24 * time.Hour, other: true, umask: "077",
		env: []string{"USER=ada", "LOGNAME=ada", "TZ=Pacific/Auckland", "LC_ALL=tr_TR.UTF-8", "DECLPROV_CACHE=off", "GOMAXPROCS=1"},
	}
	const module = "module: \"example.com/m@v0\"\nlanguage: version: \"v0.9.0\"\n"
	for name, spec := range map[string]archived{
		"a file":    {map[string]string{"notes.cue": "name: \"notes\"\nversion: \"0.1.0\"\n"}, []string{"notes.cue"}, false},
		"YAML":      {map[string]string{"notes.yaml": "name: notes\nversion: 0.1.0\n"}, []string{"notes.yaml"}, true},
		"a package": {map[string]string{"a.cue": "package notes\nname: \"notes\"\n", "b.cue": "package notes\nversion: \"0.1.0\"\n"}, []string{"."}, true},
		"a module, a tag": {map[string]string{
			"cue.mod/module.cue": module, "part/part.cue": "package part\nName: \"notes\"\n",
			"a.cue": "package notes\nimport \"example.com/m/part\"\nname: part.Name\nversion: string @tag(version)\n",
		}, []string{"--tag", "version=0.1.0", "."}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := workshop{}.hashes(t, spec)
			if !strings.Contains(want, "pulumi-resource-notes-v0.1.0-") {
				t.Fatalf("the checksums are %q", want)
			}
			if diff := cmp.Diff(want, elsewhere.hashes(t, spec)); diff != "" {
				t.Errorf("somebody else, elsewhere (-want +got):\n%s", diff)
			}
		})
	}
}

// hashes packages a spec, and returns the checksums of the archives.
func (w workshop) hashes(t *testing.T, spec archived) string {
	t.Helper()
	home := t.TempDir()
	folder := filepath.Join(home, w.folder)
	files := maps.Clone(spec.files)
	files["unrelated.txt"] = w.folder
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		modified := time.Now().Add(-w.age)
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	from := filepath.Join(home, w.from)
	if err := os.MkdirAll(from, 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"package", "-o", filepath.Join(home, "out")}
	if spec.small {
		program := filepath.Join(home, "small")
		args = append(args, "--binary", runtime.GOOS+"/"+runtime.GOARCH+"="+program)
		text, err := smallProgram()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	args = append(args, spec.args...)
	if w.folder != "" { // the spec is the last argument
		relative, err := filepath.Rel(from, filepath.Join(folder, args[len(args)-1]))
		if err != nil {
			t.Fatal(err)
		}
		args[len(args)-1] = "." + string(filepath.Separator) + relative
	}
	script := "exec \"$@\""
	if w.umask != "" {
		script = "umask " + w.umask + "; " + script
	}
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", script, "sh", provider.Binary(t)}, args...)...)
	cmd.Dir = from
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, w.env...)
	if w.other && os.Getuid() == 0 {
		become(t, cmd, home)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	sums, err := os.ReadFile(filepath.Join(home, "out", "pulumi-resource-notes-v0.1.0-checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(sums)
}

// smallProgram returns a small Go program that package takes for declprov.
var smallProgram = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "declprov-small-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module example.com/declprov\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", "program")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building a small program: %w\n%s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "program"))
})

// become lets another user run a command, with a copy of declprov in a home that is theirs.
func become(t *testing.T, cmd *exec.Cmd, home string) {
	t.Helper()
	const nobody = 65534
	program := filepath.Join(home, "declprov")
	text, err := os.ReadFile(provider.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Args[4] = program
	if err := os.Chmod(filepath.Dir(home), 0o711); err != nil { // the folder of all temporary folders of the test
		t.Fatal(err)
	}
	if out, err := exec.Command("chown", "-R", strconv.Itoa(nobody), home).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
