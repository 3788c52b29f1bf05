package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// scripts is a provider whose resource runs the script that the program gives. What
// comes before its resource are the permissions, what the step says beside.
const scripts = `package scripts

import "list"

name:    "scripts"
version: "0.1.0"
config: {dir: string, outer: string}
PERMISSIONS
exec: env: {IN: "${config.dir}/in", RO: "${config.dir}/ro", OUT: "${config.dir}/out", NEW: "${config.dir}/new", OUTER: "${config.outer}"}
resources: Script: {
	inputs: text: string @replace()
	outputs: {exitCode: int, stdout: string, stderr: string}
	id: "script"
	create: exec: {shell: "eval \"$TEXT\"", env: TEXT: "${inputs.text}", exitCodes: ok: list.Range(0, 256, 1)STEP}
}
`

const granting = `permissions: {
	write: ["${config.dir}/in/**", "${config.dir}/new/**"]
	read: ["${config.dir}/ro/**"]
	run: ["/bin/sh"]
}
`

const secret = "the secret of another\n"

// world are folders of which a spec is granted some, a process outside, and a
// provider.
type world struct {
	*testing.T
	dir   string
	outer *exec.Cmd
	*provider.Process
}

// newWorld is a world under these permissions; step is what the step says more.
func newWorld(t *testing.T, permissions, step string) *world {
	t.Helper()
	w := madeWorld(t)
	w.serve(permissions, step)
	return w
}

// serve starts the provider.
func (w *world) serve(permissions, step string) {
	w.Helper()
	w.Process = provider.Configured(w.T, provider.FolderWith(w.T, "scripts", ".cue", specOf(permissions, step)), "scripts", w.dir, w.config())
}

// specOf is the spec with these permissions.
func specOf(permissions, step string) string {
	return strings.NewReplacer("PERMISSIONS", permissions, "STEP", step).Replace(scripts)
}

// config is the provider's configuration.
func (w *world) config() map[string]property.Value {
	return map[string]property.Value{"dir": property.New(w.dir), "outer": property.New(strconv.Itoa(w.outer.Process.Pid))}
}

// madeWorld is a world without a provider.
func madeWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, outer: exec.Command("sleep", "300")}
	for path, content := range map[string]string{"out/secret": secret, "in/file": "write\n", "ro/file": "read\n"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../out/secret", filepath.Join(dir, "in", "link")); err != nil {
		t.Fatal(err)
	}
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

// said is what a script has said, and how it ended.
type said struct {
	code           int
	stdout, stderr string
}

// run runs a script by creating a resource.
func (w *world) run(script string) said {
	w.Helper()
	got, err := w.try(script)
	if err != nil {
		w.Fatalf("%s: %v", script, err)
	}
	return got
}

// try is run, with the error of what did not start.
func (w *world) try(script string) (said, error) {
	state, err := w.Create(w.Context(), client.Resource{Type: "scripts:index:Script", Name: "script"},
		property.NewMap(map[string]property.Value{"text": property.New(script)}), client.Operation{})
	if err != nil {
		return said{}, err
	}
	text := func(name string) string { return state.Outputs.Get(name).AsString() }
	return said{code: int(state.Outputs.Get("exitCode").AsNumber()), stdout: text("stdout"), stderr: text("stderr")}, nil
}

// files are the content of what lies in a folder of the world, by name.
func (w *world) files(folder string) map[string]string {
	w.Helper()
	entries, err := os.ReadDir(filepath.Join(w.dir, folder))
	if err != nil {
		w.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(w.dir, folder, e.Name()))
		if err != nil {
			w.Fatal(err)
		}
		found[e.Name()] = string(content)
	}
	return found
}

func need(t *testing.T) {
	t.Helper()
	tools.Need(t, tools.Landlock)
}
