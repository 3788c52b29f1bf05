// Package confinement lists the mechanisms about what a spec, its programs and its servers may do, and what is shown of secrets.
package confinement

import (
	"slices"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// Rows returns the rows in the order of the printed table.
func Rows() []mutant.Mutant {
	return slices.Concat(ofConfinement(), ofGrants(), ofSandbox(), ofSecrets(), ofOutside(), ofScreens(), ofDatabases())
}
