package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TestNoProgramsAreTracked: no file of the repository is as large as a program is, such as one that
// `go build` leaves at the top level.
func TestNoProgramsAreTracked(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("%s has %d bytes: remove it with git rm", name, info.Size())
		}
	}
}
