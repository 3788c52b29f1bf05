package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// mortal is the folder of a provider that dies at the nth call of that name,
// counted from the start of its process, while the folder has a file "armed".
func mortal(t *testing.T, strace, name string, n int) string {
	t.Helper()
	return provider.FolderWithScript(t, "files", "examples/files.cue", fmt.Sprintf(`if [ -e "$dir/armed" ]; then
	exec %s -f -qq -o /dev/null -e 'trace=%[2]s' -e 'inject=%[2]s:signal=KILL:when=%[3]d' "$real" "$@"
fi
exec "$real" "$@"`, strace, name, n))
}

// TestUpAfterAKill kills the provider in the middle of the real CLI's `up`, at
// the calls that settle a write, and expects the next `up` to put all right.
func TestUpAfterAKill(t *testing.T) {
	strace := tools.Need(t, tools.Strace)
	program := func(content string) string {
		return fmt.Sprintf("resources:\n  a:\n    type: files:File\n    properties: {path: a.txt, content: %q}\n", content)
	}
	for _, call := range []struct {
		name string
		n    int
	}{{"fchmod", 1}, {"fsync", 1}, {"/^rename", 1}, {"fsync", 2}} {
		for _, verb := range []string{"create", "update"} {
			t.Run(fmt.Sprintf("%s at %s %d", verb, call.name, call.n), func(t *testing.T) {
				t.Parallel()
				folder := mortal(t, strace, call.name, call.n)
				s := pulumitest.New(t, pulumitest.Providers{"files": folder})
				s.Program(program(before))
				if verb == "update" {
					s.Up("create=1")
				}
				s.Program(program(after))
				armed := filepath.Join(folder, "armed")
				if err := os.WriteFile(armed, nil, 0o644); err != nil {
					t.Fatal(err)
				}
				r, err := s.Project.Up(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("the armed up ended with exit code %d", r.ExitCode)
				if got, there := s.Files()["a.txt"]; there && got != before && got != after {
					t.Errorf("after the kill a.txt is %q", got)
				}
				if err := os.Remove(armed); err != nil {
					t.Fatal(err)
				}
				if r, err = s.Project.Up(t.Context()); err != nil || r.ExitCode != 0 {
					t.Fatalf("the next up: %v, %v", err, r.Failure())
				}
				if diff := cmp.Diff(map[string]string{"a.txt": after}, s.Files()); diff != "" {
					t.Errorf("after the next up (-want +got):\n%s", diff)
				}
				s.Preview("same=1")
			})
		}
	}
}
