// Package builtin lists the families of actions in this binary, and generates documentation
// and definitions from them.
package builtin

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/exec"
	"github.com/declprov/declprov/actions/file"
	"github.com/declprov/declprov/actions/http"
	"github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/spec"
)

//go:generate go test . -run ^TestGenerated$ -update

// Families returns all families, in the order of the documentation.
func Families() []*actions.Family { return list(sql.Family(openSQL())) }

// FamiliesOf returns all families, but those with a variant without their actions if the spec does
// not have their block of defaults: it then uses none.
func FamiliesOf(p *spec.Provider) []*actions.Family {
	if hasBlock(p, sql.Unused()) {
		return Families()
	}
	return list(sql.Unused())
}

// list returns the families. databases is one of several forms.
func list(databases *actions.Family) []*actions.Family {
	commands := exec.Family()
	return []*actions.Family{file.Family(), http.Family(commands), commands, databases}
}

// Variant returns the variant of the serving binary that a spec needs, or "": that of a family
// for which it has a block of defaults.
func Variant(p *spec.Provider) string {
	if f := sql.Unused(); hasBlock(p, f) {
		return f.Variant
	}
	return ""
}

func hasBlock(p *spec.Provider, f *actions.Family) bool {
	return slices.ContainsFunc(p.Families, func(block spec.Field) bool { return block.Name == f.Name })
}
