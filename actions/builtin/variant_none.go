//go:build !declprov_sql

package builtin

import "github.com/declprov/declprov/actions"

// Built is the variant that this binary is: none.
const Built = ""

// openSQL opens the runner of the family sql, whose drivers this binary does not have.
func openSQL() func() actions.Runner { return nil }
