package powerdns

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// makeDatabase makes the tables that the server wants to find.
func makeDatabase(t *testing.T, path string) {
	t.Helper()
	tables, err := os.ReadFile(tools.PowerDNSTables)
	if err != nil {
		t.Fatalf("the backend's tables: %v; run `make test-deps`", err)
	}
	cmd := exec.CommandContext(t.Context(), "sqlite3", path)
	cmd.Stdin = strings.NewReader(string(tables))
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("making the database: %v\n%s", err, printed)
	}
}
