package house

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestTheBinariesAreSmall checks the stripped sizes of the serving binary, which Pulumi
// starts, and of declprov, which also contains CUE. Released binaries are a little
// smaller, because they contain no local paths (-trimpath); building them here would
// compile every package again.
func TestTheBinariesAreSmall(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(t.TempDir(), release.Server)
	if err := release.BuildServer(t.Context(), root, server); err != nil {
		t.Fatal(err)
	}
	for path, most := range map[string]int64{server: 30_000_000, provider.Binary(t): 35_000_000} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", path, float64(info.Size())/1e6)
		if info.Size() > most {
			t.Errorf("%s has %d bytes when stripped, the maximum is %d", path, info.Size(), most)
		}
	}
}
