package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TestTheBinariesAreSmall holds them to the budget of their stripped size, which
// is of what Pulumi starts: the serving path. The command line has CUE beside all
// of that, and has to be downloaded, too. Released ones are smaller by the paths of
// the machine (-trimpath), for which every package would be compiled again here.
func TestTheBinariesAreSmall(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	for path, most := range map[string]int64{
		"./cmd/declprov/pulumi-resource-declprov": 30_000_000,
		"./cmd/declprov": 32_000_000,
	} {
		out := filepath.Join(t.TempDir(), "binary")
		cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "grpcnotrace", "-ldflags", "-s -w", "-o", out, path)
		cmd.Dir = root
		if printed, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, stripped: %.1f MB", path, float64(info.Size())/1e6)
		if info.Size() > most {
			t.Errorf("%s has %d bytes, stripped, and may have %d", path, info.Size(), most)
		}
	}
}
