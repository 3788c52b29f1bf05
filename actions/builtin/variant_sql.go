//go:build declprov_sql

package builtin

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/actions/sql/database"
)

// Built is the variant that this binary is.
const Built = sql.Variant

// openSQL opens the runner of the family sql.
func openSQL() func() actions.Runner { return database.Open }
