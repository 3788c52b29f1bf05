package house

import (
	"os"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
)

// maxBinary is the budget of the stripped binary, in bytes.
const maxBinary = 30_000_000

func TestTheBinaryIsSmall(t *testing.T) {
	info, err := os.Stat(provider.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("stripped: %.1f MB", float64(info.Size())/1e6)
	if info.Size() > maxBinary {
		t.Errorf("the stripped binary has %d bytes, and may have %d", info.Size(), maxBinary)
	}
}
