// Package table lists the promises of declprov, the mechanisms that keep each promise, and
// the test that must fail if a mechanism is disabled. `make mutants` disables one after
// the other.
package table

import (
	"slices"

	"github.com/declprov/declprov/tests/mutants/mutant"
	"github.com/declprov/declprov/tests/mutants/table/certainty"
	"github.com/declprov/declprov/tests/mutants/table/complaints"
	"github.com/declprov/declprov/tests/mutants/table/confinement"
	"github.com/declprov/declprov/tests/mutants/table/language"
)

// All returns all rows, in the order of the printed table.
func All() []mutant.Mutant {
	return slices.Concat(complaints.Rows(), certainty.Rows(), confinement.Rows(), language.Rows())
}
