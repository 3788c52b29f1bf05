package scopes

import (
	"slices"
	"testing"

	"github.com/declprov/declprov/spec/load/let"
)

// TestLocalNamesHideNoName checks that the loader refuses local names that are names of
// the language.
func TestLocalNamesHideNoName(t *testing.T) {
	t.Parallel()
	for _, n := range languageNames {
		if !slices.Contains(let.Reserved(), n.name) {
			t.Errorf("a local name may be called %s", n.name)
		}
	}
}
