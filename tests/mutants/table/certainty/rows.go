// Package certainty lists the mechanisms about what is known, recorded and repaired after a failure, and whose object it is.
package certainty

import (
	"slices"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// Rows returns the rows in the order of the printed table.
func Rows() []mutant.Mutant {
	return slices.Concat(ofProof(), ofWaits(), ofPromises(), ofJournals(), ofLives(), ofDeletes(), ofIdentity(), ofModel())
}
