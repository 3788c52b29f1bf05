// Package compare runs one scenario against two providers: the one that
// Pulumi's implementer guide writes by hand in Python, as the guide prints it,
// and examples/files.cue. What differs must be in the table of intended
// differences, and what is in the table must differ.
package compare

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// guideProvider makes the folder of the guide's provider, in the form of its
// section "Packaging for distribution": a script beside the code and a virtual
// environment. The guide's PulumiPlugin.yaml stays out: with it the CLI would
// ask for Pulumi's Python language host, which the protocol does not need.
func guideProvider(t *testing.T) string {
	t.Helper()
	venv := tools.Need(t, tools.PythonProvider)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "myfiles"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "PulumiPlugin.yaml")); err != nil {
		t.Fatal(err)
	}
	// A checkout may have lost the bit.
	if err := os.Chmod(filepath.Join(dir, "pulumi-resource-myfiles"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(venv, filepath.Join(dir, "venv")); err != nil {
		t.Fatal(err)
	}
	return dir
}
