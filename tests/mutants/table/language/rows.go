// Package language lists the mechanisms about what authors write, and what plans and SDKs show of it.
package language

import (
	"slices"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// Rows returns the rows in the order of the printed table.
func Rows() []mutant.Mutant {
	return slices.Concat(ofLanguage(), ofNames(), ofMessages(), ofCompilation(), ofMatrix(), ofPlans(), ofBudgets(), ofDocuments())
}
