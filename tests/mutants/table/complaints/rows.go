// Package complaints lists the mechanisms about the complaints about other tools that declprov resolves.
package complaints

import (
	"slices"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// Rows returns the rows in the order of the printed table.
func Rows() []mutant.Mutant {
	return slices.Concat(ofState(), ofExchanges(), ofFailures(), ofAuthors())
}
