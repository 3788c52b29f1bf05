package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/petstore"
)

// home returns an environment with an empty home and an empty backend of Pulumi.
func home(t *testing.T, env ...string) (dir string, all []string) {
	t.Helper()
	dir = t.TempDir()
	keys, err := pulumicli.KeyService()
	if err != nil {
		t.Fatal(err)
	}
	path := []string{filepath.Dir(provider.Binary(t)), filepath.Dir(tools.Need(t, tools.Pulumi)), filepath.Dir(tools.Need(t, tools.PulumiYAML)), os.Getenv("PATH")}
	all = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "PULUMI_") || strings.HasPrefix(kv, "DECLPROV_") || strings.HasPrefix(kv, "XDG_")
	})
	return dir, append(append(all,
		"HOME="+dir, "PATH="+strings.Join(path, string(os.PathListSeparator)),
		"PULUMI_HOME="+filepath.Join(dir, ".pulumi"), // the CLI does not read HOME
		"PULUMI_BACKEND_URL=file://"+dir, "PULUMI_CONFIG_PASSPHRASE=correct horse", pulumicli.KeyServiceVariable+"="+keys,
		"PULUMI_SKIP_UPDATE_CHECK=1", "PULUMI_SKIP_CONFIRMATIONS=true", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=1", "NO_COLOR=1"), env...)
}

// example copies a spec of the examples.
func example(t *testing.T, name, to string) {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCI runs docs/ci.md, and its job once more on another runner.
func TestCI(t *testing.T) {
	t.Parallel()
	store := petstore.Open()
	t.Cleanup(store.Close)
	platform := runtime.GOOS + "-" + runtime.GOARCH
	dir, env := home(t, append(store.Env(), "CI=true")...)
	env = append(env, "CACHE="+filepath.Join(dir, "cache"), "PERSISTENT="+filepath.Join(dir, "persistent"))
	example(t, "rest-api.cue", filepath.Join(dir, "petstore.cue"))
	example(t, "rest-api.cue", filepath.Join(dir, "released", "petstore.cue"))
	open(t, "ci.md").run(t, dir, env, "linux-amd64", platform)
	if diff := cmp.Diff([]string{`POST /pets {"kind":"dog","name":"Rex","tags":{"color":"brown"}}`}, store.Writes()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, ".local")); err == nil {
		t.Error("a journal is in the home of the runner")
	}
	again := exec.CommandContext(t.Context(), "sh", "deploy.sh")
	again.Dir, again.Env = dir, append(env, "HOME="+t.TempDir())
	if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "2 unchanged") {
		t.Errorf("the second deployment: %v\n%s", err, out)
	}
	if more := store.Writes(); len(more) > 0 {
		t.Errorf("requests of the second deployment: %v", more)
	}
	// An archive that was changed is not installed.
	archives, err := filepath.Glob(filepath.Join(dir, "dist", "*.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives %v, %v", archives, err)
	}
	if err := os.WriteFile(archives[0], []byte("another"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed := exec.CommandContext(t.Context(), "sh", "deploy.sh")
	changed.Dir, changed.Env = dir, env
	if out, err := changed.CombinedOutput(); err == nil || !strings.Contains(string(out), "FAILED") {
		t.Errorf("a changed archive: %v\n%s", err, out)
	}
}
