package provider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// Guide makes a folder with the provider of Pulumi's guide for Python, unchanged, as in its
// section "Packaging for distribution": a script, the code and a virtual environment. It
// omits the guide's PulumiPlugin.yaml, with which the CLI would require Pulumi's Python
// language host.
func Guide(t testing.TB, dir string) {
	t.Helper()
	venv := tools.Need(t, tools.PythonEnvironment)
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "tests", "compare", "testdata", "myfiles"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "PulumiPlugin.yaml")); err != nil {
		t.Fatal(err)
	}
	// A checkout may not preserve the executable bit.
	if err := os.Chmod(filepath.Join(dir, "pulumi-resource-myfiles"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(venv, filepath.Join(dir, "venv")); err != nil {
		t.Fatal(err)
	}
}
