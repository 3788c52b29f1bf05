//go:build declprov_sql

package main

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/actions/sql/database"
)

// families returns the families whose drivers this binary has.
func families() []*actions.Family { return []*actions.Family{sql.Family(database.Open)} }
