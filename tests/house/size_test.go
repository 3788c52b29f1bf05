package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
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
	server := filepath.Join(t.TempDir(), "pulumi-resource-declprov")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "grpcnotrace", "-ldflags", "-s -w", "-o", server, "./cmd/declprov/pulumi-resource-declprov")
	cmd.Dir = root
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	for path, most := range map[string]int64{server: 30_000_000, provider.Binary(t): 32_000_000} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", path, float64(info.Size())/1e6)
		if info.Size() > most {
			t.Errorf("%s has %d bytes, stripped, and may have %d", path, info.Size(), most)
		}
	}
}
