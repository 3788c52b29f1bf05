// Package compare runs one scenario with two providers: the Python provider in Pulumi's
// implementer guide, unchanged, and examples/files.cue. The differences must be equal to
// those in the table of intended differences.
package compare

import (
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
)

// guideProvider makes a folder with the guide's provider.
func guideProvider(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	provider.Guide(t, dir)
	return dir
}
