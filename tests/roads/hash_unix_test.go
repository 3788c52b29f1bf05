//go:build unix

package roads

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
		"a file":    {map[string]string{"notes.cue": "name: \"notes\"\nversion: \"0.1.0\"\n"}, []string{"notes.cue"}},
		"YAML":      {map[string]string{"notes.yaml": "name: notes\nversion: 0.1.0\n"}, []string{"notes.yaml"}},
		"a package": {map[string]string{"a.cue": "package notes\nname: \"notes\"\n", "b.cue": "package notes\nversion: \"0.1.0\"\n"}, []string{"."}},
		"a module, a tag": {map[string]string{
			"cue.mod/module.cue": module, "part/part.cue": "package part\nName: \"notes\"\n",
			"a.cue": "package notes\nimport \"example.com/m/part\"\nname: part.Name\nversion: string @tag(version)\n",
		}, []string{"--tag", "version=0.1.0", "."}},
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
	args := append([]string{"package", "-o", filepath.Join(home, "out")}, spec.args...)
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
