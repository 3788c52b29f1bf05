package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/mutants/table"
)

// TestRows checks that the text of each row is in its file, once. The command checks that, too, but
// stops at the first row, and compiles everything before it runs a test.
func TestRows(t *testing.T) {
	for _, m := range table.All() {
		text, err := os.ReadFile(filepath.Join("..", "..", m.File))
		if err != nil {
			t.Errorf("%s: %v", m.Mechanism, err)
		} else if n := strings.Count(string(text), m.Find); n != 1 {
			t.Errorf("%s: %s contains this text %d times: %q", m.Mechanism, m.File, n, m.Find)
		}
	}
}
