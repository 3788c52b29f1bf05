// Package recording builds the command that says what it got, for tests.
package recording

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// Program is the path of the recorder, built in a folder of the test's.
func Program(t testing.TB) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "recorder")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "./exec/recorder")
	cmd.Dir = filepath.Join(root, "tests")
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the recorder: %v\n%s", err, printed)
	}
	return path
}
