// Package compare runs one scenario with two providers: the Python provider in Pulumi's
// implementer guide, unchanged, and examples/files.cue. The differences must be equal to
// those in the table of intended differences.
package compare

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// guideProvider creates the folder of the guide's provider, as in the section "Packaging
// for distribution": a script, the code and a virtual environment. It omits the guide's
// PulumiPlugin.yaml, with which the CLI would require Pulumi's Python language host.
func guideProvider(t *testing.T) string {
	t.Helper()
	venv := tools.Need(t, tools.PythonEnvironment)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "myfiles"))); err != nil {
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
	return dir
}
