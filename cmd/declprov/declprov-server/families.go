//go:build !declprov_sql

package main

import "github.com/declprov/declprov/actions"

// families returns the families whose drivers this binary has: none.
func families() []*actions.Family { return nil }
